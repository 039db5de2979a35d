//! What a proxy adds to the time of a request: for one client alone, and at a rate that
//! is half of what the slowest contender can do.

use std::fs;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use crate::bench::Bench;
use crate::case::{Body, Case};
use crate::contender::Contender;
use crate::contender::start::Running;
use crate::figure::Figure;
use crate::measure::measure;
use crate::open_load::{self, Answered};
use crate::plan::{NGINX_KEEPALIVE_REQUESTS, Plan};
use crate::result::{Measurement, Outcome};
use crate::rounds::{round_name, summary};
use crate::sampler::Sampler;
use crate::stage::Stage;
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    let mut alone = Case::small(1);
    alone.name = ALONE.to_owned();
    let mut half = Case::small(bench.connections());
    half.name = HALF.to_owned();

    Ok(Plan {
        scenario: "latency",
        contenders: [
            Contender::direct(),
            Contender::floor(),
            Contender::haproxy("haproxy-tcp"),
            Contender::nginx("nginx-stream"),
        ]
        .into_iter()
        .chain(bench.phases.compared()?.map(Contender::phase))
        .collect(),
        cases: vec![alone, half],
        seconds: bench.seconds(4),
        rounds: bench.rounds(7),
        keepalive_requests: NGINX_KEEPALIVE_REQUESTS,
    })
}

/// The warm-up finds the peaks.
pub async fn run(bench: &mut Bench, plan: &Plan) -> Result<Outcome> {
    let stage = Stage::set(bench, plan).await?;
    let runs = stage.running.len() as u64 * (1 + 2 * u64::from(plan.rounds));
    bench.progress.plan((runs * plan.seconds) as f64);

    let (alone, half) = (&plan.cases[0], &plan.cases[1]);
    let mut measurements = Vec::new();
    for running in &stage.running {
        begin(bench, plan, running, "peak of", 0);
        let found = measure(bench, &stage.backends, running, half, 0, plan.seconds).await?;
        bench.progress.end(&summary(&found));
        measurements.push(found);
    }
    let peaks = measurements
        .iter()
        .filter_map(|m| m.get(Figure::RequestsPerSecond));
    let rate = (peaks.fold(f64::INFINITY, f64::min) / 2.0).max(1.0);

    for round in 1..=plan.rounds {
        let mut of_round = Vec::new();
        for running in &stage.running {
            begin(bench, plan, running, ALONE, round);
            let found =
                measure(bench, &stage.backends, running, alone, round, plan.seconds).await?;
            bench.progress.end(&summary(&found));
            of_round.push(found);
        }
        for running in &stage.running {
            begin(bench, plan, running, HALF, round);
            let found = at_rate(bench, running, half, rate, plan.seconds, round).await?;
            bench.progress.end(&summary(&found));
            of_round.push(found);
        }
        subtract_direct(&mut of_round);
        measurements.extend(of_round);
    }
    Ok(stage.outcome(bench, plan, measurements))
}

pub fn views() -> Vec<View> {
    vec![
        View::Table {
            figures: &[
                Figure::P50Micros,
                Figure::P99Micros,
                Figure::AddedP50Micros,
                Figure::AddedP99Micros,
                Figure::OfferedPerSecond,
                Figure::RequestsPerSecond,
            ],
        },
        View::Ratios {
            base: "haproxy-tcp",
            figures: &[Figure::P50Micros, Figure::P99Micros],
        },
        View::Bars {
            figure: Figure::P50Micros,
            title: "Half of the requests took no longer than",
        },
        View::Bars {
            figure: Figure::P99Micros,
            title: "Of a hundred requests, 99 took no longer than",
        },
    ]
}

fn begin(bench: &mut Bench, plan: &Plan, running: &Running, what: &str, round: u32) {
    let name = &running.contender.name;
    let text = format!("latency {} {name} {what}", round_name(round));
    bench.progress.begin(&text, plan.seconds as f64);
}

/// wrk sends the next request when the last one was answered, so that a slow proxy
/// would get less work. This load does not wait.
pub(super) async fn at_rate(
    bench: &mut Bench,
    running: &Running,
    case: &Case,
    rate: f64,
    seconds: u64,
    round: u32,
) -> Result<Measurement> {
    let folder = bench.workplace.folder("open-load")?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(open_load::arguments(
        running.address,
        Body::Small.path(),
        rate,
        case.connections,
        seconds,
        case.close,
    ));
    let mut sampler = Sampler::start(running.pids());
    let mut load = bench.workplace.start("open-load", command, &folder)?;
    let status = load.wait(Duration::from_secs(seconds + 30)).await?;
    sampler.look();
    ensure!(
        status.success(),
        "the load ended by {status}: {}",
        load.last_words()
    );

    let output = fs::read_to_string(&load.output)?;
    let answered: Answered = serde_json::from_str(&output).context("the load's result")?;
    let mut measurement = Measurement::new(&running.contender.name, &case.name, round);
    measurement.set(Figure::OfferedPerSecond, rate);
    measurement.set(
        Figure::RequestsPerSecond,
        answered.requests as f64 / seconds as f64,
    );
    measurement.set(Figure::P50Micros, answered.p50_micros);
    measurement.set(Figure::P99Micros, answered.p99_micros);
    if let Some(cores) = sampler.cores() {
        measurement.set(Figure::Cores, cores);
    }
    if answered.errors > 0 {
        measurement
            .errors
            .insert("read".to_owned(), answered.errors);
    }
    measurement.samples = sampler.samples;
    Ok(measurement)
}

fn subtract_direct(measurements: &mut [Measurement]) {
    for case in [ALONE, HALF] {
        let direct = measurements
            .iter()
            .find(|m| m.case == case && m.contender == "direct");
        let Some(direct) = direct.cloned() else {
            continue;
        };
        for measurement in measurements.iter_mut().filter(|m| m.case == case) {
            for (figure, added) in [
                (Figure::P50Micros, Figure::AddedP50Micros),
                (Figure::P99Micros, Figure::AddedP99Micros),
            ] {
                if let (Some(own), Some(base)) = (measurement.get(figure), direct.get(figure)) {
                    measurement.set(added, own - base);
                }
            }
        }
    }
}

const ALONE: &str = "one client";

const HALF: &str = "half of the lowest peak";
