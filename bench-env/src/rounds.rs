//! The order of measurements: contenders in turn, round after round.
//!
//! A machine is faster in one minute than in the next. When every contender has its
//! turn in every round, all of them see the same minutes, and what is compared lies
//! seconds apart.

use std::future::poll_fn;
use std::task::Poll;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::backends::{Backends, Wish};
use crate::bench::Bench;
use crate::case::{Body, Case};
use crate::contender::{Contender, Running};
use crate::figure::Figure;
use crate::measure::measure;
use crate::result::{LeftOut, Measurement, Outcome, SCHEMA, Settings};

/// How a scenario wants to be run.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Its name.
    pub scenario: &'static str,

    /// Who takes part.
    pub contenders: Vec<Contender>,

    /// At which work.
    pub cases: Vec<Case>,

    /// Seconds of each run.
    pub seconds: u64,

    /// Rounds that count.
    pub rounds: u32,

    /// Requests after which a backend closes a connection.
    pub keepalive_requests: u32,
}

/// The backends and all contenders, running.
#[derive(Debug)]
pub struct Stage {
    /// In front of these.
    pub backends: Backends,

    /// Who takes part, in the order of the tables.
    pub running: Vec<Running>,

    left_out: Vec<LeftOut>,

    started: SystemTime,
}

/// Runs a whole plan.
pub async fn run(bench: &mut Bench, plan: &Plan) -> Result<Outcome> {
    let stage = Stage::set(bench, plan).await?;
    let measurements = stage.rounds(bench, plan).await?;
    Ok(stage.outcome(bench, plan, measurements))
}

impl Stage {
    /// Starts everybody. Who cannot start is left out, with the reason.
    pub async fn set(bench: &mut Bench, plan: &Plan) -> Result<Self> {
        let started = SystemTime::now();
        let contenders = bench.select(plan.contenders.clone());
        let tls = plan.cases.iter().any(|case| case.tls);

        let phases: Vec<u8> = contenders
            .iter()
            .filter_map(Contender::phase_number)
            .collect();
        bench.phases.build(&phases, &bench.workplace).await?;

        let mut bodies = vec![Body::Small];
        bodies.extend(plan.cases.iter().map(|case| case.body));
        let wish = Wish {
            keepalive_requests: plan.keepalive_requests,
            tls,
            bodies: bodies.clone(),
        };
        let backends = Backends::start(bench, wish)
            .await
            .context("there are no backends")?;

        let (mut running, mut left_out) = (Vec::new(), Vec::new());
        for contender in contenders {
            match admit(
                bench,
                &contender,
                &backends,
                if tls { &[] } else { &bodies },
            )
            .await
            {
                Ok(ready) => running.push(ready),
                Err(error) => {
                    eprintln!("left out: {}: {error:#}", contender.name);
                    left_out.push(LeftOut {
                        what: contender.name,
                        why: format!("{error:#}"),
                    });
                }
            }
        }
        if running.is_empty() {
            bail!("no contender takes part; `bench-env list` shows their names");
        }

        Ok(Self {
            backends,
            running,
            left_out,
            started,
        })
    }

    /// Measures everybody at every work, round after round.
    pub async fn rounds(&self, bench: &mut Bench, plan: &Plan) -> Result<Vec<Measurement>> {
        let (first, at_once) = if bench.hurry { (1, AT_ONCE) } else { (0, 1) };
        let turns = self.running.len().div_ceil(at_once) * plan.cases.len();
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

            for case in &plan.cases {
                for turn in self.running.chunks(at_once) {
                    let names: Vec<&str> = turn
                        .iter()
                        .map(|running| running.contender.name.as_str())
                        .collect();
                    let (round_name, names) = (round_name(round), names.join(" + "));
                    let what = format!("{} {round_name} {names} {}", plan.scenario, case.name);
                    bench.progress.begin(&what, one_run(seconds));

                    let runs = turn.iter().map(|running| {
                        measure(bench, &self.backends, running, case, round, seconds)
                    });
                    let measured: Vec<Measurement> = together(runs.collect())
                        .await
                        .into_iter()
                        .collect::<Result<_>>()?;

                    let shown: Vec<String> = measured.iter().map(summary).collect();
                    bench.progress.end(&shown.join(" + "));
                    measurements.extend(measured);
                }
            }
        }
        Ok(measurements)
    }

    /// Puts the result together.
    pub fn outcome(&self, bench: &Bench, plan: &Plan, measurements: Vec<Measurement>) -> Outcome {
        Outcome {
            schema: SCHEMA,
            scenario: plan.scenario.to_owned(),
            started: humantime::format_rfc3339_seconds(self.started).to_string(),
            machine: bench.machine.clone(),
            settings: Settings {
                seconds: plan.seconds,
                rounds: plan.rounds,
                connections: bench.connections(),
                keepalive_requests: plan.keepalive_requests,
                phase_profile: bench.phases.profile.clone(),
            },
            contenders: self
                .running
                .iter()
                .map(|running| running.contender.info())
                .collect(),
            cases: plan.cases.iter().map(Case::info).collect(),
            left_out: self.left_out.clone(),
            measurements,
        }
    }
}

async fn admit(
    bench: &mut Bench,
    contender: &Contender,
    backends: &Backends,
    bodies: &[Body],
) -> Result<Running> {
    let running = contender.start(bench, backends).await?;
    for body in bodies {
        running.check(*body).await?;
    }
    Ok(running)
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

/// Since 1.19.10; before that it was 100.
pub const NGINX_KEEPALIVE_REQUESTS: u32 = 1000;

/// Of the article's nginx.
pub const ARTICLE_KEEPALIVE_REQUESTS: u32 = 100;
