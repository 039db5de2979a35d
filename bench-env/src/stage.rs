//! Everybody who takes part, started and ready.

use std::time::SystemTime;

use anyhow::{Context, Result, bail};

use crate::backends::{Backends, Wish};
use crate::bench::Bench;
use crate::case::{Body, Case};
use crate::contender::Contender;
use crate::contender::start::Running;
use crate::left_out::LeftOut;
use crate::plan::Plan;
use crate::result::{Measurement, Outcome, SCHEMA, Settings};

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

impl Stage {
    /// Starts everybody. Who cannot start is left out, with the reason.
    pub async fn set(bench: &mut Bench, plan: &Plan) -> Result<Self> {
        let started = SystemTime::now();
        let contenders = bench.select(plan.contenders.clone());
        let tls = plan.cases.iter().any(|case| case.tls);

        let mut bodies = vec![Body::Small];
        bodies.extend(plan.cases.iter().map(|case| case.body));
        bodies.dedup();
        let wish = Wish {
            keepalive_requests: plan.keepalive_requests,
            tls,
            bodies: bodies.clone(),
        };
        let backends = Backends::start(bench, wish)
            .await
            .context("there are no backends")?;

        // Our client does not speak TLS.
        let bodies = if tls { &[] } else { &bodies[..] };
        Self::with(bench, contenders, backends, bodies, started).await
    }

    /// The same in front of other backends, which have only the small file.
    pub async fn before(bench: &mut Bench, plan: &Plan, backends: Backends) -> Result<Self> {
        let contenders = bench.select(plan.contenders.clone());
        let started = SystemTime::now();
        Self::with(bench, contenders, backends, &[Body::Small], started).await
    }

    async fn with(
        bench: &mut Bench,
        contenders: Vec<Contender>,
        backends: Backends,
        bodies: &[Body],
        started: SystemTime,
    ) -> Result<Self> {
        let phases: Vec<u8> = contenders
            .iter()
            .filter_map(Contender::phase_number)
            .collect();
        bench.phases.build(&phases, &bench.workplace).await?;

        let (mut running, mut left_out) = (Vec::new(), Vec::new());
        for contender in contenders {
            match admit(bench, &contender, &backends, bodies).await {
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
