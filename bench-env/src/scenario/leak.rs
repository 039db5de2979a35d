//! Memory over time under load, then the article's proof: a proxy that is told to end
//! says how many connections it waits for, when there are none.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::time::sleep;

use crate::bench::Bench;
use crate::case::Case;
use crate::contender::Contender;
use crate::contender::start::Running;
use crate::figure::Figure;
use crate::http;
use crate::measure::measure;
use crate::plan::{ARTICLE_KEEPALIVE_REQUESTS, Plan};
use crate::result::{Measurement, Outcome};
use crate::rounds::summary;
use crate::stage::Stage;
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    Ok(Plan {
        scenario: "leak",
        contenders: vec![
            Contender::direct(),
            Contender::floor(),
            Contender::phase(LEAKING),
            Contender::phase(CURED),
            Contender::haproxy("haproxy-http"),
            Contender::nginx("nginx-http"),
        ],
        cases: vec![Case::small(bench.connections())],
        seconds: bench.seconds(60),
        rounds: bench.rounds(1),
        keepalive_requests: ARTICLE_KEEPALIVE_REQUESTS,
    })
}

/// Each round begins with new processes, and has no warm-up: the first seconds are
/// part of the curve.
pub async fn run(bench: &mut Bench, plan: &Plan) -> Result<Outcome> {
    let mut measurements = Vec::new();

    for round in 1.. {
        let mut stage = Stage::set(bench, plan).await?;
        let runs = stage.running.len() * (1 + plan.rounds - round) as usize;
        bench.progress.plan((runs as u64 * plan.seconds) as f64);

        for index in 0..stage.running.len() {
            let running = &stage.running[index];
            let what = format!("leak round {round} {}", running.contender.name);
            bench.progress.begin(&what, plan.seconds as f64);

            let case = &plan.cases[0];
            let mut measurement =
                measure(bench, &stage.backends, running, case, round, plan.seconds).await?;
            drain(&mut stage.running[index], &mut measurement).await?;

            bench.progress.end(&summary(&measurement));
            measurements.push(measurement);
        }
        if round == plan.rounds {
            return Ok(stage.outcome(bench, plan, measurements));
        }
    }
    unreachable!("the range has no end")
}

pub fn views() -> Vec<View> {
    vec![
        View::Table {
            figures: &[
                Figure::ConnectionsTotal,
                Figure::ConnectionsActive,
                Figure::Draining,
                Figure::RssGrowthKib,
                Figure::RssGrowthPerConnection,
                Figure::RequestsPerSecond,
            ],
        },
        View::MemoryOverTime {
            title: "Resident memory under load",
        },
    ]
}

/// Waits until all clients have left, asks the proxy to end, and reads what it says.
async fn drain(running: &mut Running, measurement: &mut Measurement) -> Result<()> {
    let (Some(metrics), Some(process)) = (running.metrics, running.process.as_mut()) else {
        return Ok(());
    };

    let mut active = f64::NAN;
    for _ in 0..50 {
        active = http::metric(metrics, "tcpproxy_connections_active").await?;
        if active == 0.0 {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    measurement.set(Figure::ConnectionsActive, active);
    let total = http::metric(metrics, "tcpproxy_connections_total").await?;
    measurement.set(Figure::ConnectionsTotal, total);

    process.terminate();
    let status = process.wait(Duration::from_secs(40)).await?;
    ensure!(status.success(), "{} ended by {status}", process.name);

    let log = fs::read_to_string(&process.log)?;
    let draining = parse_draining(&log).context("the proxy did not say what it drains")?;
    measurement.set(Figure::Draining, draining);
    Ok(())
}

fn parse_draining(log: &str) -> Option<f64> {
    let (_, rest) = log.split_once("draining ")?;
    let (count, _) = rest.split_once(" in-flight connection(s)")?;
    count.parse().ok()
}

/// The last phase that keeps its finished tasks.
const LEAKING: u8 = 11;

/// The first one that does not.
const CURED: u8 = 12;

#[cfg(test)]
mod tests {
    use super::parse_draining;

    #[test]
    fn reads_the_drain_line() {
        let log =
            "2026-11-30T12:00:00Z  INFO phase_11::leave: draining 61981 in-flight connection(s)\n";
        assert_eq!(parse_draining(log), Some(61981.0));
        assert_eq!(parse_draining("draining the pool"), None);
    }
}
