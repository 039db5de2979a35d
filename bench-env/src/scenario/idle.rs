//! Thousands of connections that do nothing: memory and descriptors for each.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::bench::Bench;
use crate::case::{Body, Case};
use crate::contender::Contender;
use crate::contender::start::Running;
use crate::figure::Figure;
use crate::left_out::LeftOut;
use crate::machine;
use crate::plan::{NGINX_KEEPALIVE_REQUESTS, Plan};
use crate::proc;
use crate::result::{Measurement, Outcome};
use crate::sampler::Sampler;
use crate::stage::Stage;
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    let most = bench.options.connections.unwrap_or(8000);
    let cases = [most / 8, most / 4, most / 2, most]
        .into_iter()
        .filter(|&count| count > 0);

    Ok(Plan {
        scenario: "idle",
        contenders: [
            Contender::floor(),
            Contender::haproxy("haproxy-tcp"),
            Contender::nginx("nginx-stream"),
        ]
        .into_iter()
        .chain(bench.phases.compared()?.map(Contender::phase))
        .collect(),
        cases: cases.map(idle_case).collect(),
        seconds: bench.seconds(1),
        rounds: bench.rounds(1),
        keepalive_requests: NGINX_KEEPALIVE_REQUESTS,
    })
}

/// Each round has new processes: one that has served before has memory to spare, which
/// would then seem to cost nothing.
pub async fn run(bench: &mut Bench, plan: &Plan) -> Result<Outcome> {
    let (plan, too_many) = within_limits(plan);
    let (mut measurements, mut round) = (Vec::new(), 1);

    loop {
        let stage = Stage::set(bench, &plan).await?;
        let seconds = SETTLE.as_secs_f64() * plan.cases.len() as f64 + 2.0;
        let runs = stage.running.len() * (1 + plan.rounds - round) as usize;
        bench.progress.plan(runs as f64 * seconds);

        for running in &stage.running {
            let what = format!("idle round {round} {}", running.contender.name);
            bench.progress.begin(&what, seconds);
            let measured = fill(running, &plan, round).await.context(what)?;

            let last = measured
                .last()
                .and_then(|m| m.get(Figure::BytesPerConnection));
            let shown = last.map(|bytes| Figure::BytesPerConnection.show(bytes));
            bench
                .progress
                .end(&format!("{} per connection", shown.unwrap_or_default()));
            measurements.extend(measured);
        }

        if round == plan.rounds {
            let mut outcome = stage.outcome(bench, &plan, measurements);
            outcome.left_out.extend(too_many);
            return Ok(outcome);
        }
        round += 1;
    }
}

pub fn views() -> Vec<View> {
    vec![
        View::Table {
            figures: &[
                Figure::BytesPerConnection,
                Figure::DescriptorsPerConnection,
                Figure::PssKib,
            ],
        },
        View::Lines {
            figures: &[Figure::PssKib],
            title: "Memory over idle connections",
            x: "idle connections",
        },
    ]
}

fn idle_case(connections: u32) -> Case {
    let mut case = Case::small(connections);
    case.name = format!("{connections} connections");
    case.x = Some(f64::from(connections));
    case
}

/// A proxy needs two descriptors for each connection.
fn within_limits(plan: &Plan) -> (Plan, Vec<LeftOut>) {
    let files = machine::open_files_limit();
    let mut plan = plan.clone();
    let fits = |case: &Case| u64::from(case.connections) * 2 + 500 <= files;
    let (fitting, others): (Vec<Case>, Vec<Case>) = plan.cases.into_iter().partition(fits);
    plan.cases = fitting;

    let left_out = others.into_iter().map(|case| LeftOut {
        what: case.name,
        why: format!("a process may open only {files} files; raise `ulimit -n`"),
    });
    (plan, left_out.collect())
}

/// Opens more and more connections, and looks after each step.
async fn fill(running: &Running, plan: &Plan, round: u32) -> Result<Vec<Measurement>> {
    let pids = running.pids();
    let descriptors = || {
        pids.iter()
            .map(|&pid| proc::descriptors(pid))
            .sum::<usize>() as f64
    };
    let mut sampler = Sampler::start(pids.clone());
    let before = *sampler.samples.last().context("the process has ended")?;
    let descriptors_before = descriptors();

    let (mut open, mut measurements) = (Vec::new(), Vec::new());
    for case in &plan.cases {
        let wanted = case.connections as usize;
        open_more(running.address, wanted, &mut open).await?;
        sleep(SETTLE).await;
        sampler.look();

        let now = *sampler.samples.last().context("the process has ended")?;
        let bytes = (now.pss_kib as f64 - before.pss_kib as f64) * 1024.0;
        let mut measurement = Measurement::new(&running.contender.name, &case.name, round);
        measurement.set(Figure::PssKib, now.pss_kib as f64);
        measurement.set(Figure::RssKib, now.rss_kib as f64);
        measurement.set(Figure::BytesPerConnection, bytes / wanted as f64);
        measurement.set(
            Figure::DescriptorsPerConnection,
            (descriptors() - descriptors_before) / wanted as f64,
        );
        measurement.samples = sampler.samples.clone();
        measurements.push(measurement);
    }
    Ok(measurements)
}

/// A few at a time, so that no queue overflows. Each fetches a small file first: a
/// proxy may connect to a backend only when it has to.
async fn open_more(address: SocketAddr, wanted: usize, open: &mut Vec<TcpStream>) -> Result<()> {
    while open.len() < wanted {
        let mut batch = JoinSet::new();
        for _ in 0..BATCH.min(wanted - open.len()) {
            batch.spawn(timeout(Duration::from_secs(10), open_one(address)));
        }
        while let Some(stream) = batch.join_next().await {
            open.push(stream?.context("no answer within 10 s")??);
        }
    }
    Ok(())
}

async fn open_one(address: SocketAddr) -> Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "GET /{} HTTP/1.1\r\nHost: bench\r\n\r\n",
        Body::Small.path()
    );
    stream.write_all(request.as_bytes()).await?;

    // The head is shorter than a kilobyte, and the body ends the answer.
    let (mut answer, content) = (Vec::new(), Body::Small.content());
    while !answer.ends_with(&content) {
        let count = stream.read_buf(&mut answer).await?;
        ensure!(count > 0, "the connection was closed while it was opened");
    }
    Ok(stream)
}

const BATCH: usize = 100;

/// What a proxy frees when a connection falls idle, it frees soon.
const SETTLE: Duration = Duration::from_millis(500);
