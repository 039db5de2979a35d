//! What connections that wait for clients save, near the backends and far from them,
//! and what they cost where they save nothing.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Command;
use std::time::Duration;
use std::{env, fs};

use anyhow::{Context, Result, bail};
use tokio::time::sleep;

use super::latency::at_rate;
use crate::backends::Backends;
use crate::bench::Bench;
use crate::case::Case;
use crate::contender::Contender;
use crate::contender::start::Running;
use crate::figure::Figure;
use crate::left_out::LeftOut;
use crate::link::{FAR, NEAR, UP};
use crate::measure::measure;
use crate::plan::{NGINX_KEEPALIVE_REQUESTS, Plan};
use crate::proc;
use crate::process::Process;
use crate::result::{Measurement, Outcome};
use crate::rounds::{round_name, summary};
use crate::sampler::Sampler;
use crate::stage::Stage;
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    let newest = bench.phases.newest()?;
    let mut contenders = vec![Contender::direct(), Contender::haproxy("haproxy-tcp")];
    contenders.extend(["0", "4", "auto"].map(|size| Contender::pooled_phase(newest, size)));

    let busy = bench.options.connections.unwrap_or(10);
    let mut cases = vec![fresh(BUSY, busy), fresh("loopback", CLIENTS)];
    for milliseconds in ROUND_TRIPS {
        let mut case = fresh(&format!("{milliseconds} ms away"), CLIENTS);
        case.x = Some(milliseconds);
        cases.push(case);
    }

    Ok(Plan {
        scenario: "pool",
        contenders,
        cases,
        seconds: bench.seconds(5),
        rounds: bench.rounds(5),
        keepalive_requests: NGINX_KEEPALIVE_REQUESTS,
    })
}

/// Each distance has a network, backends and processes of its own.
pub async fn run(bench: &mut Bench, plan: &Plan) -> Result<Outcome> {
    let runs = plan.cases.len() * plan.contenders.len() * (1 + plan.rounds as usize);
    bench.progress.plan((runs as u64 * plan.seconds) as f64);
    let (mut outcome, mut left_out): (Option<Outcome>, _) = (None, Vec::new());

    for case in &plan.cases {
        let network = match open_network(bench, case.x).await {
            Ok(network) => network,
            Err(error) => {
                left_out.push(LeftOut {
                    what: case.name.clone(),
                    why: format!("{error:#}"),
                });
                continue;
            }
        };
        let backends = backends(bench, network.is_some()).await?;
        let stage = Stage::before(bench, plan, backends).await?;
        let measurements = run_case(bench, plan, &stage, case).await?;

        let found = stage.outcome(bench, plan, measurements);
        match &mut outcome {
            None => outcome = Some(found),
            Some(outcome) => {
                outcome.measurements.extend(found.measurements);
                left_out.extend(found.left_out);
            }
        }
    }

    let mut outcome = outcome.context("there is no case")?;
    outcome.left_out.extend(left_out);
    Ok(outcome)
}

pub fn views() -> Vec<View> {
    vec![
        View::Table {
            figures: &[
                Figure::P50Micros,
                Figure::P99Micros,
                Figure::RequestsPerSecond,
                Figure::RequestsPerCoreSecond,
                Figure::PssKib,
                Figure::WaitingConnections,
            ],
        },
        View::Ratios {
            base: "pool-0",
            figures: RATIOS,
        },
        View::Ratios {
            base: "haproxy-tcp",
            figures: RATIOS,
        },
        View::Lines {
            figures: &[Figure::P50Micros],
            title: "Half of the clients had their answer after",
            x: "round trip to the backend, ms",
        },
    ]
}

fn fresh(name: &str, connections: u32) -> Case {
    let mut case = Case::small(connections);
    case.name = name.to_owned();
    case.close = true;
    case
}

async fn open_network(bench: &Bench, milliseconds: Option<f64>) -> Result<Option<Process>> {
    let Some(milliseconds) = milliseconds else {
        return Ok(None);
    };
    let folder = bench.workplace.folder("link")?;
    let mut command = Command::new(env::current_exe()?);
    let round_trip = format!("{:.0}us", milliseconds * 1e3);
    command.args(["link", "--round-trip", &round_trip]);
    let mut link = bench.workplace.start("link", command, &folder)?;

    for _ in 0..500 {
        if link.ended()?.is_some() {
            bail!("{}", link.last_words());
        }
        if fs::read_to_string(&link.output)?.trim() == UP {
            return Ok(Some(link));
        }
        sleep(Duration::from_millis(10)).await;
    }
    bail!("the network does not come up")
}

/// Three of them, as everywhere. They take connections with a PROXY header or without.
async fn backends(bench: &mut Bench, is_far: bool) -> Result<Backends> {
    let (own, through) = if is_far {
        (NEAR, FAR)
    } else {
        (Ipv4Addr::LOCALHOST, Ipv4Addr::LOCALHOST)
    };
    let folder = bench.workplace.folder("respond")?;
    let mut command = Command::new(env::current_exe()?);
    command.arg("respond");
    let mut seen = [SocketAddr::from((through, 0)); 3];
    for address in &mut seen {
        let port = bench.workplace.address()?.port();
        address.set_port(port);
        command.args(["--listen", &format!("{own}:{port}")]);
    }

    let workplace = &bench.workplace;
    let process = workplace
        .serve("respond", command, &folder, seen[2])
        .await?;
    Ok(Backends::elsewhere(seen, process))
}

async fn run_case(
    bench: &mut Bench,
    plan: &Plan,
    stage: &Stage,
    case: &Case,
) -> Result<Vec<Measurement>> {
    // What was opened for the first look at each contender is forgotten after 10 s.
    sleep(if bench.hurry { SOON } else { SETTLE }).await;
    let at_rest = stage.running.iter().map(|one| look(one, &stage.backends));
    let at_rest: Vec<_> = at_rest.collect();

    let mut measurements = Vec::new();
    for round in 0..=plan.rounds {
        for (running, at_rest) in stage.running.iter().zip(&at_rest) {
            let name = &running.contender.name;
            let text = format!("pool {} {name} {}", round_name(round), case.name);
            bench.progress.begin(&text, plan.seconds as f64);

            let mut found = if case.name == BUSY {
                measure(bench, &stage.backends, running, case, round, plan.seconds).await?
            } else {
                at_rate(bench, running, case, RATE, plan.seconds, round).await?
            };
            for &(figure, value) in at_rest {
                found.set(figure, value);
            }
            bench.progress.end(&summary(&found));
            measurements.push(found);
        }
    }
    Ok(measurements)
}

/// Memory, and connections to the backends, before the first client.
fn look(running: &Running, backends: &Backends) -> Vec<(Figure, f64)> {
    let pids = running.pids();
    let ports = backends.plain.map(|address| address.port());
    let waiting = pids.iter().map(|&pid| proc::connections(pid, &ports));
    let waiting = waiting.sum::<usize>() as f64;

    let sampler = Sampler::start(pids);
    let memory = sampler.samples.last().map(|sample| sample.pss_kib as f64);
    let memory = memory.map(|kib| (Figure::PssKib, kib));
    [(Figure::WaitingConnections, waiting)]
        .into_iter()
        .chain(memory)
        .collect()
}

const RATIOS: &[Figure] = &[
    Figure::P50Micros,
    Figure::P99Micros,
    Figure::RequestsPerCoreSecond,
];

/// The case in which the clients set no pace.
pub const BUSY: &str = "loopback, as many as it can";

/// In milliseconds: a rack, a region, a country.
const ROUND_TRIPS: [f64; 3] = [0.05, 1.0, 10.0];

/// Clients per second. A third of them goes to each backend, whose pool can be given
/// three times as many from the farthest.
const RATE: f64 = 100.0;

/// Enough that none of them is late.
const CLIENTS: u32 = 20;

/// More than the ten seconds for which a phase remembers.
const SETTLE: Duration = Duration::from_secs(12);

const SOON: Duration = Duration::from_millis(200);
