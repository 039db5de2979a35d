//! One core and two, and from a few connections to thousands: does the work for a
//! request stay the same?

use anyhow::Result;

use crate::bench::Bench;
use crate::case::Case;
use crate::contender::Contender;
use crate::figure::Figure;
use crate::plan::{NGINX_KEEPALIVE_REQUESTS, Plan};
use crate::result::Outcome;
use crate::statistics::spread;
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    let newest = bench.phases.newest()?;
    let contenders = [1, 2].into_iter().flat_map(|workers| {
        [
            Contender::haproxy("haproxy-tcp-threads"),
            Contender::nginx("nginx-stream-workers"),
            Contender::phase_without_pool(newest),
        ]
        .map(|contender| contender.with_workers(workers))
    });

    let most = bench.options.connections.unwrap_or(8000);
    let mut cases: Vec<Case> = [10, 100, 1000, 8000]
        .into_iter()
        .map(|count| kept(count.min(most)))
        .collect();
    cases.dedup_by(|one, other| one.name == other.name);
    cases.push(new_for_each_request(most.min(100)));

    Ok(Plan {
        scenario: "cores",
        contenders: contenders.collect(),
        cases,
        seconds: bench.seconds(5),
        rounds: bench.rounds(5),
        keepalive_requests: NGINX_KEEPALIVE_REQUESTS,
    })
}

pub fn views() -> Vec<View> {
    vec![
        View::Table {
            figures: &[
                Figure::RequestsPerSecond,
                Figure::Cores,
                Figure::RequestsPerCoreSecond,
                Figure::CpuMicrosPerRequest,
                Figure::P99Micros,
            ],
        },
        View::Ratios {
            base: "haproxy-tcp-threads@1",
            figures: RATIOS,
        },
        View::Ratios {
            base: "haproxy-tcp-threads@2",
            figures: RATIOS,
        },
        View::Ratios {
            base: "nginx-stream-workers@2",
            figures: RATIOS,
        },
        View::Lines {
            figures: &[Figure::CpuMicrosPerRequest],
            title: "CPU for each request over connections",
            x: "connections",
        },
        View::Text(growth),
    ]
}

fn kept(connections: u32) -> Case {
    let mut case = Case::small(connections);
    case.x = Some(f64::from(connections));
    case
}

fn new_for_each_request(connections: u32) -> Case {
    let mut case = Case::small(connections);
    case.name = format!("{}, each request over a new one", case.name);
    case.close = true;
    case
}

/// How much dearer a request is among many connections.
fn growth(outcome: &Outcome) -> String {
    let [few, many] = [100, 1000].map(|count| kept(count).name);
    let lines = outcome.contenders.iter().filter_map(|contender| {
        let [few, many] = [&few, &many].map(|case| {
            let spread = spread(outcome, &contender.name, case, Figure::CpuMicrosPerRequest);
            Some(spread?.median)
        });
        let growth = many? / few?;
        Some(format!("- {}: {growth:.2}\n", contender.name))
    });
    let lines: String = lines.collect();
    if lines.is_empty() {
        return lines;
    }
    format!("**CPU for a request at 1,000 connections, divided by that at 100**\n\n{lines}")
}

const RATIOS: &[Figure] = &[
    Figure::RequestsPerSecond,
    Figure::RequestsPerCoreSecond,
    Figure::P99Micros,
];
