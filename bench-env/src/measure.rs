//! One contender, one kind of work, one run of wrk.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tokio::time::sleep;

use crate::backends::Backends;
use crate::bench::Bench;
use crate::case::{Body, Case};
use crate::contender::start::Running;
use crate::figure::Figure;
use crate::kernel::{self, Counters};
use crate::limits::{Window, judge};
use crate::result::Measurement;
use crate::sampler::Sampler;
use crate::wrk::{self, Load};
use crate::{http, machine, proc};

/// Runs wrk against a contender, and watches all that takes part.
pub async fn measure(
    bench: &Bench,
    backends: &Backends,
    running: &Running,
    case: &Case,
    round: u32,
    seconds: u64,
) -> Result<Measurement> {
    let wrk = bench.programs.find("wrk").map_err(anyhow::Error::from)?;
    let folder = bench.workplace.folder("wrk")?;
    let mut command = Command::new(wrk);
    command.args(wrk_arguments(running, case, seconds));

    let connections_before = connections_total(running).await;
    let backend_pids = backends.pids();
    let before = Before::look(&backend_pids);
    let mut sampler = Sampler::start(running.pids());
    let mut load = bench.workplace.start("wrk", command, &folder)?;
    let mut load_cpu = LoadCpu::default();

    let began = Instant::now();
    let mut next_look = began;
    while load.ended()?.is_none() {
        ensure!(
            began.elapsed() < Duration::from_secs(seconds) + PATIENCE,
            "wrk does not end; its threads may be stuck"
        );
        if Instant::now() >= next_look {
            sampler.look();
            next_look += SAMPLES;
        }
        load_cpu.look(load.id(), began.elapsed());
        sleep(POLL).await;
    }
    sampler.look();

    let mut window = before.window(&backend_pids);
    let wrk = wrk::parse(&fs::read_to_string(&load.output)?)
        .map_err(|error| error.context(format!("wrk said:\n{}", load.last_words())))?;
    window.busiest_load_thread = load_cpu.busiest_share() * window.seconds;
    window.connect_errors = wrk.errors.get("connect").copied().unwrap_or(0);
    fs::remove_dir_all(&folder)?;

    let mut measurement = Measurement::new(&running.contender.name, &case.name, round);
    measurement.set(Figure::LoadCores, load_cpu.total / window.seconds);
    measurement.set(
        Figure::BackendCores,
        before.backend_cores(&backend_pids, window.seconds),
    );
    measurement.set(Figure::MachineCores, window.machine / window.seconds);
    add_load(&mut measurement, &wrk);
    add_process(&mut measurement, &sampler, &wrk);
    if let (Some(before), Some(after)) = (connections_before, connections_total(running).await) {
        add_connections(&mut measurement, running, case, after - before);
    }

    measurement.limited_by = judge(&window);
    measurement.errors = wrk.errors;
    if wrk.bytes == 0.0 {
        // wrk counts only what breaks: a server that says nothing is no error to it.
        measurement.errors.insert("silence".to_owned(), 1);
    }
    measurement.samples = sampler.samples;
    Ok(measurement)
}

fn wrk_arguments(running: &Running, case: &Case, seconds: u64) -> Vec<String> {
    let threads = THREADS.min(case.connections);
    let mut arguments = vec![
        format!("-t{threads}"),
        format!("-c{}", case.connections),
        format!("-d{seconds}s"),
        "--latency".to_owned(),
    ];
    if case.body == Body::Mib100 {
        // Without it, a download that takes more than two seconds counts as failed.
        arguments.extend(["--timeout".to_owned(), "60s".to_owned()]);
    }
    if case.connections > 1000 {
        // All connect at once, and the last of them wait for their turn.
        arguments.extend(["--timeout".to_owned(), "20s".to_owned()]);
    }
    if case.close {
        arguments.extend(["-H".to_owned(), "Connection: close".to_owned()]);
    }
    arguments.push(if case.tls {
        // wrk asks for the name that stands in the URL, and this one needs no lookup.
        format!(
            "https://localhost:{}/{}",
            running.address.port(),
            case.body.path()
        )
    } else {
        format!("http://{}/{}", running.address, case.body.path())
    });
    arguments
}

async fn connections_total(running: &Running) -> Option<f64> {
    http::metric(running.metrics?, "tcpproxy_connections_total")
        .await
        .ok()
}

fn add_load(measurement: &mut Measurement, load: &Load) {
    measurement.set(Figure::RequestsPerSecond, load.requests_per_second);
    measurement.set(Figure::BytesPerSecond, load.bytes / load.seconds);
    // Without an answer there is no time of one, and wrk writes zero.
    if load.requests > 0 {
        for (percent, figure) in [(50, Figure::P50Micros), (99, Figure::P99Micros)] {
            if let Some(&micros) = load.latency.get(&percent) {
                measurement.set(figure, micros);
            }
        }
    }
}

/// Work per core is what was answered over what it cost, whenever that was: a window a
/// little too long would make cores look idle.
fn add_process(measurement: &mut Measurement, sampler: &Sampler, load: &Load) {
    let (Some(first), Some(last)) = (sampler.samples.first(), sampler.samples.last()) else {
        return;
    };

    let cpu = last.cpu_seconds - first.cpu_seconds;
    measurement.set(Figure::Cores, cpu / load.seconds);
    measurement.set(Figure::RequestsPerCoreSecond, load.requests as f64 / cpu);
    measurement.set(Figure::BytesPerCoreSecond, load.bytes / cpu);
    if load.requests > 0 {
        let each = 1e6 * cpu / load.requests as f64;
        measurement.set(Figure::CpuMicrosPerRequest, each);
    }
    measurement.set(Figure::RssKib, last.rss_kib as f64);
    measurement.set(Figure::PssKib, last.pss_kib as f64);
    measurement.set(
        Figure::RssGrowthKib,
        last.rss_kib as f64 - first.rss_kib as f64,
    );
}

fn add_connections(measurement: &mut Measurement, running: &Running, case: &Case, count: f64) {
    measurement.set(Figure::Connections, count);
    if let Some(growth) = measurement.get(Figure::RssGrowthKib) {
        measurement.set(Figure::RssGrowthPerConnection, growth * 1024.0 / count);
    }
    if let Some(peek) = running.contender.wait() {
        let waited = count * peek.as_secs_f64() / f64::from(case.connections);
        measurement.set(Figure::WaitSecondsPerClient, waited);
    }
}

/// What the load generator uses, as far as it can be seen: its threads are gone before
/// the process is.
#[derive(Default)]
struct LoadCpu {
    total: f64,

    threads: BTreeMap<u32, (f64, Duration)>,
}

impl LoadCpu {
    fn look(&mut self, pid: u32, at: Duration) {
        self.total = proc::cpu_seconds(pid).unwrap_or(self.total);
        for (thread, cpu) in proc::thread_cpu_seconds(pid) {
            self.threads.insert(thread, (cpu, at));
        }
    }

    fn busiest_share(&self) -> f64 {
        let shares = self
            .threads
            .values()
            .map(|(cpu, at)| cpu / at.as_secs_f64());
        shares.filter(|share| share.is_finite()).fold(0.0, f64::max)
    }
}

/// The counters at the start of a window.
struct Before {
    at: Instant,

    counters: Counters,

    backends: Vec<f64>,
}

impl Before {
    fn look(backends: &[u32]) -> Self {
        Self {
            at: Instant::now(),
            counters: Counters::read(),
            backends: cpu_of(backends),
        }
    }

    fn window(&self, backends: &[u32]) -> Window {
        let now = Counters::read();
        let used = cpu_of(backends)
            .into_iter()
            .zip(&self.backends)
            .map(|(now, then)| now - then);
        let (first, last) = kernel::ephemeral_ports().unwrap_or((32768, 60999));

        Window {
            seconds: self.at.elapsed().as_secs_f64(),
            cores: machine::cores() as f64,
            machine: now.busy_seconds - self.counters.busy_seconds,
            stolen: now.stolen_seconds - self.counters.stolen_seconds,
            busiest_backend: used.fold(0.0, f64::max),
            time_wait_overflows: now.time_wait_overflows - self.counters.time_wait_overflows,
            listen_overflows: now.listen_overflows - self.counters.listen_overflows,
            time_wait: kernel::time_wait(),
            ports: u64::from(last.saturating_sub(first)) + 1,
            ..Window::default()
        }
    }

    fn backend_cores(&self, backends: &[u32], seconds: f64) -> f64 {
        let used = cpu_of(backends).iter().sum::<f64>() - self.backends.iter().sum::<f64>();
        used / seconds
    }
}

fn cpu_of(pids: &[u32]) -> Vec<f64> {
    pids.iter()
        .map(|&pid| proc::cpu_seconds(pid).unwrap_or(0.0))
        .collect()
}

/// As in the article.
const THREADS: u32 = 4;

/// Often enough for a curve, and too seldom to cost anything.
const SAMPLES: Duration = Duration::from_millis(500);

/// How exactly the end of a run is seen.
const POLL: Duration = Duration::from_millis(20);

/// wrk opens all connections first, and waits for its threads at the end.
const PATIENCE: Duration = Duration::from_secs(60);
