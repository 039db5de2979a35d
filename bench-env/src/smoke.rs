//! Every scenario for a second: does everything still work, whatever the figures are?

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use crate::bench::{Bench, output_folder};
use crate::cli::Options;
use crate::contender::Contender;
use crate::figure::Figure;
use crate::http;
use crate::phases::{FINISHED, package};
use crate::plan::{NGINX_KEEPALIVE_REQUESTS, Plan};
use crate::result::{Measurement, Outcome};
use crate::save::run_and_save;
use crate::scenario::pool::BUSY;
use crate::scenario::{SCENARIOS, Scenario};
use crate::stage::Stage;
use crate::view::View;

/// Runs all scenarios, and fails if a contender did not answer or a figure is missing.
pub async fn run(mut options: Options) -> Result<()> {
    options.duration.get_or_insert(1);
    options.rounds.get_or_insert(1);
    options.connections.get_or_insert(40);
    // Built by `cargo test` anyway; how quick they are does not matter here.
    options.profile.get_or_insert_with(|| "dev".to_owned());
    let folder = output_folder(&options).join("smoke");

    let began = Instant::now();
    let mut bench = Bench::new(options)?;
    bench.hurry = true;
    let mut faults = Vec::new();
    for scenario in &SCENARIOS {
        match run_and_save(scenario, &mut bench, &folder).await {
            Ok(outcome) => faults.extend(missing(scenario, &outcome)),
            Err(error) => faults.push(format!("{}: {error:#}", scenario.name)),
        }
    }
    if let Err(error) = lint_metrics(&mut bench).await {
        faults.push(format!("metrics: {error:#}"));
    }

    println!("smoke took {:.0} s", began.elapsed().as_secs_f64());
    if faults.is_empty() {
        return Ok(());
    }
    bail!("smoke found faults:\n{}", faults.join("\n"))
}

/// What a report would lack.
fn missing(scenario: &Scenario, outcome: &Outcome) -> Vec<String> {
    let name = scenario.name;

    // A machine may not let us have a network. A contender is a program, and `setup`
    // brings it.
    let is_case = |what: &str| outcome.cases.iter().any(|case| case.name == what);
    let (cases, contenders): (Vec<_>, Vec<_>) = outcome
        .left_out
        .iter()
        .partition(|left_out| is_case(&left_out.what));
    for left_out in cases {
        println!("not tried here: {name}: {left_out}");
    }
    let mut faults: Vec<String> = contenders
        .iter()
        .map(|left_out| format!("{name}: {left_out}"))
        .collect();

    for measurement in &outcome.measurements {
        let who = format!("{name}: {} at {}", measurement.contender, measurement.case);
        if !measurement.errors.is_empty() {
            faults.push(format!("{who}: {:?}", measurement.errors));
        }
        if measurement.round == 0 {
            continue;
        }
        faults.extend(
            expected(scenario, measurement)
                .filter(|&figure| measurement.get(figure).is_none())
                .map(|figure| format!("{who} has no {}", figure.label())),
        );
    }
    faults
}

/// The columns of the scenario's table, but for those that this contender cannot have.
fn expected<'a>(
    scenario: &Scenario,
    measurement: &'a Measurement,
) -> impl Iterator<Item = Figure> + 'a {
    let columns = (scenario.views)().into_iter().flat_map(|view| match view {
        View::Table { figures } | View::Cases { figures } => figures.to_vec(),
        _ => Vec::new(),
    });
    let (is_direct, is_phase, is_waiting) = (
        measurement.contender == "direct",
        measurement.contender.starts_with("phase-"),
        measurement.contender.starts_with(&package(FINISHED)),
    );

    // At a fixed rate the requests per core say how idle the proxy was.
    let is_paced = scenario.name == "pool" && measurement.case != BUSY;

    columns.filter(move |figure| match figure {
        Figure::RequestsPerCoreSecond => !is_direct && !is_paced,
        Figure::Cores
        | Figure::CpuMicrosPerRequest
        | Figure::BytesPerCoreSecond
        | Figure::HandshakesPerCoreSecond
        | Figure::RssKib
        | Figure::PssKib
        | Figure::RssGrowthKib => !is_direct,
        Figure::Connections
        | Figure::ConnectionsTotal
        | Figure::ConnectionsActive
        | Figure::Draining
        | Figure::RssGrowthPerConnection => is_phase,
        Figure::WaitSecondsPerClient
        | Figure::PredictedPerSecond
        | Figure::PredictedMostPerSecond => is_waiting,
        Figure::OfferedPerSecond => measurement.case != "one client",
        _ => true,
    })
}

/// Prometheus' own tool knows what a page of metrics should look like.
async fn lint_metrics(bench: &mut Bench) -> Result<()> {
    let promtool = bench
        .programs
        .find("promtool")
        .map_err(anyhow::Error::from)?;
    let plan = Plan {
        scenario: "metrics",
        contenders: vec![Contender::phase(bench.phases.newest()?)],
        cases: Vec::new(),
        seconds: 1,
        rounds: 1,
        keepalive_requests: NGINX_KEEPALIVE_REQUESTS,
    };
    let stage = Stage::set(bench, &plan).await?;
    let metrics = stage.running[0]
        .metrics
        .context("the newest phase has no metrics")?;

    let folder = bench.workplace.folder("promtool")?;
    let page = folder.join("page");
    fs::write(&page, http::get(metrics, "metrics").await?)?;
    let mut command = Command::new("sh");
    command
        .args(["-c", "exec \"$0\" check metrics < \"$1\""])
        .arg(promtool)
        .arg(page);

    let mut process = bench.workplace.start("promtool", command, &folder)?;
    let status = process.wait(Duration::from_secs(20)).await?;
    ensure!(status.success(), "promtool says:\n{}", process.last_words());
    Ok(())
}
