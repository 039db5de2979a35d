//! The order of measurements: contenders in turn, round after round.
//!
//! A machine is faster in one minute than in the next. When every contender has its
//! turn in every round, all of them see the same minutes, and what is compared lies
//! seconds apart.

use std::future::poll_fn;
use std::task::Poll;

use anyhow::{Error, Result};

use crate::bench::Bench;
use crate::case::Case;
use crate::contender::start::Running;
use crate::figure::Figure;
use crate::measure::measure;
use crate::plan::Plan;
use crate::result::{Measurement, Outcome};
use crate::stage::Stage;

/// Runs a whole plan.
pub async fn run(bench: &mut Bench, plan: &Plan) -> Result<Outcome> {
    // Before everybody is started for nothing.
    bench.programs.find("wrk").map_err(anyhow::Error::from)?;

    let stage = Stage::set(bench, plan).await?;
    let measurements = rounds(bench, &stage, plan).await;
    Ok(stage.outcome(bench, plan, measurements))
}

/// Measures everybody at every work, round after round.
async fn rounds(bench: &mut Bench, stage: &Stage, plan: &Plan) -> Vec<Measurement> {
    let (first, at_once) = if bench.hurry { (1, AT_ONCE) } else { (0, 1) };
    let turns = stage.running.len().div_ceil(at_once) * plan.cases.len();
    let warm_up = if first == 0 {
        one_run(WARM_UP.min(plan.seconds))
    } else {
        0.0
    };
    let one_turn = f64::from(plan.rounds) * one_run(plan.seconds) + warm_up;
    bench.progress.plan(turns as f64 * one_turn);

    let mut measurements = Vec::new();
    for round in first..=plan.rounds {
        let seconds = if round == 0 {
            WARM_UP.min(plan.seconds)
        } else {
            plan.seconds
        };

        // Nobody always follows the same one, and has to live with what it left behind.
        let mut order: Vec<&Running> = stage.running.iter().collect();
        order.rotate_left(round as usize % stage.running.len());

        for case in &plan.cases {
            for turn in order.chunks(at_once) {
                let names: Vec<&str> = turn
                    .iter()
                    .map(|running| running.contender.name.as_str())
                    .collect();
                let (round_name, names) = (round_name(round), names.join(" + "));
                let what = format!("{} {round_name} {names} {}", plan.scenario, case.name);
                bench.progress.begin(&what, one_run(seconds));

                let runs = turn.iter().map(async |running| {
                    let run = measure(bench, &stage.backends, running, case, round, seconds);
                    run.await
                        .unwrap_or_else(|error| failed(running, case, round, &error))
                });
                let measured = together(runs.collect()).await;

                let shown: Vec<String> = measured.iter().map(summary).collect();
                bench.progress.end(&shown.join(" + "));
                measurements.extend(measured);
            }
        }
    }
    measurements
}

/// A contender that ends in the middle must not take the others' figures with it.
fn failed(running: &Running, case: &Case, round: u32, error: &Error) -> Measurement {
    eprintln!("\n{error:#}");
    let mut measurement = Measurement::new(&running.contender.name, &case.name, round);
    measurement.errors.insert("failed run".to_owned(), 1);
    measurement
}

/// Runs all to their ends, at the same time.
async fn together<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut running: Vec<_> = futures
        .into_iter()
        .map(|one| (Box::pin(one), None))
        .collect();

    poll_fn(|cx| {
        for (future, output) in &mut running {
            if output.is_none()
                && let Poll::Ready(ready) = future.as_mut().poll(cx)
            {
                *output = Some(ready);
            }
        }
        let all_have_ended = running.iter().all(|(_, output)| output.is_some());
        if all_have_ended {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;

    running
        .into_iter()
        .filter_map(|(_, output)| output)
        .collect()
}

/// How a round is called while it runs.
pub fn round_name(round: u32) -> String {
    if round == 0 {
        "warm-up".to_owned()
    } else {
        format!("round {round}")
    }
}

/// A measurement in a few words.
pub fn summary(measurement: &Measurement) -> String {
    let figures = [Figure::RequestsPerSecond, Figure::Cores, Figure::P99Micros];
    let mut words: Vec<String> = figures
        .into_iter()
        .filter_map(|figure| {
            Some(format!(
                "{} {}",
                figure.show(measurement.get(figure)?),
                figure.label()
            ))
        })
        .collect();
    words.extend(
        measurement
            .errors
            .iter()
            .map(|(kind, count)| format!("{count} {kind} errors")),
    );
    words.join(", ")
}

/// With what wrk takes to start and to end.
fn one_run(seconds: u64) -> f64 {
    seconds as f64 + 0.3
}

/// A small machine can still give each of them something to do.
const AT_ONCE: usize = 3;

/// Pools are filled and memory is there after a short while.
const WARM_UP: u64 = 3;
