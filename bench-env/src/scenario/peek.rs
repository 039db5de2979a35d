//! Throughput over the deadline of the TLS peek, and what arithmetic says it should be.

use std::time::Duration;

use anyhow::Result;

use crate::bench::Bench;
use crate::case::Case;
use crate::contender::Contender;
use crate::figure::Figure;
use crate::phases::{FINISHED, package};
use crate::plan::{ARTICLE_KEEPALIVE_REQUESTS, Plan};
use crate::result::{CaseInfo, Contestant, Outcome};
use crate::rounds;
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    let mut contenders = Vec::new();
    for number in bench.phases.compared()? {
        contenders.push(Contender::phase(number));
        contenders.extend(
            DEADLINES.map(|ms| Contender::peeking_phase(number, Duration::from_millis(ms))),
        );
    }

    // A tenth of the clients: they cannot hide the wait behind the others' work, and
    // what is measured is the peek rather than the machine.
    let connections = (bench.connections() / 10).max(1);
    Ok(Plan {
        scenario: "peek",
        contenders,
        cases: vec![Case::small(connections)],
        seconds: bench.seconds(5),
        rounds: bench.rounds(3),
        keepalive_requests: ARTICLE_KEEPALIVE_REQUESTS,
    })
}

/// The deadline is what varies, so that it becomes the case.
pub async fn run(bench: &mut Bench, plan: &Plan) -> Result<Outcome> {
    let mut outcome = rounds::run(bench, plan).await?;
    let clients = f64::from(plan.cases[0].connections);
    turn_deadlines_into_cases(&mut outcome);
    predict_all(&mut outcome, clients, f64::from(plan.keepalive_requests));
    Ok(outcome)
}

pub fn views() -> Vec<View> {
    vec![
        View::Cases {
            figures: &[
                Figure::RequestsPerSecond,
                Figure::PredictedPerSecond,
                Figure::PredictedMostPerSecond,
                Figure::Connections,
            ],
        },
        View::Lines {
            figures: &[
                Figure::RequestsPerSecond,
                Figure::PredictedPerSecond,
                Figure::PredictedMostPerSecond,
            ],
            title: "Requests per second over the peek's deadline",
            x: "deadline of the peek, ms",
        },
        View::Text(explain),
    ]
}

fn turn_deadlines_into_cases(outcome: &mut Outcome) {
    let split = |name: &str| {
        let (name, case) = name.split_once('@').unwrap_or((name, OFF));
        (name.to_owned(), case.to_owned())
    };

    for measurement in &mut outcome.measurements {
        (measurement.contender, measurement.case) = split(&measurement.contender);
    }

    let mut contenders: Vec<Contestant> = Vec::new();
    outcome.cases.clear();
    for Contestant { name, .. } in &outcome.contenders {
        let (name, case) = split(name);
        if outcome.cases.iter().all(|known| known.name != case) {
            let milliseconds = case.strip_suffix("ms").and_then(|text| text.parse().ok());
            outcome.cases.push(CaseInfo {
                name: case,
                x: milliseconds,
            });
        }
        if contenders.iter().all(|known| known.name != name) {
            let what = format!("{name} with --sni, whose clients do not speak TLS");
            contenders.push(Contestant { name, what });
        }
    }
    outcome.contenders = contenders;
}

/// From the run without a peek in the same round.
fn predict_all(outcome: &mut Outcome, clients: f64, requests_per_connection: f64) {
    let free: Vec<_> = outcome
        .measurements
        .iter()
        .filter(|measurement| measurement.case == OFF)
        .filter_map(|measurement| {
            let rate = measurement.get(Figure::RequestsPerSecond)?;
            Some((measurement.contender.clone(), measurement.round, rate))
        })
        .collect();

    let waiting = outcome
        .measurements
        .iter_mut()
        .filter(|measurement| measurement.contender == package(FINISHED));
    for measurement in waiting {
        let milliseconds = measurement
            .case
            .strip_suffix("ms")
            .and_then(|text| text.parse().ok());
        let wait: f64 = milliseconds.unwrap_or(0.0) / 1000.0 / requests_per_connection;
        let own = free.iter().find(|(contender, round, _)| {
            *contender == measurement.contender && *round == measurement.round
        });
        if let Some(&(_, _, rate)) = own {
            measurement.set(Figure::PredictedPerSecond, at_least(clients, rate, wait));
            measurement.set(Figure::PredictedMostPerSecond, at_most(clients, rate, wait));
        }
    }
}

/// If a request takes as long as it does when nobody waits for the peek.
fn at_least(clients: f64, rate: f64, wait: f64) -> f64 {
    clients / (clients / rate + wait)
}

/// If the machine is the limit, and those that do not wait share it: the mean value
/// analysis of one queue and a delay.
fn at_most(clients: f64, rate: f64, wait: f64) -> f64 {
    let (mut queue, mut result, mut present) = (0.0, 0.0, 0.0);
    while present < clients {
        present += 1.0;
        let response = (1.0 + queue) / rate;
        result = present / (response + wait);
        queue = result * response;
    }
    result
}

fn explain(outcome: &Outcome) -> String {
    format!(
        "In phase 12 every connection waits once, and lives for {} requests. The prediction adds that wait to \
         what the same round measured without a peek. Its lower bound lets a request take as long \
         as before; its upper bound lets those that do not wait have the machine of those that do. \
         Where the clients wait most of the time, the figure can fall below both: a machine \
         that has little to do takes longer over each request, because it has to be woken for \
         it.\n",
        outcome.settings.keepalive_requests
    )
}

/// The case of the run that all predictions start from.
const OFF: &str = "no peek";

const DEADLINES: [u64; 8] = [1, 5, 10, 20, 50, 100, 200, 500];

#[cfg(test)]
mod tests;
