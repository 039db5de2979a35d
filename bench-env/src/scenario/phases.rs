//! Every phase at the same work. Without a PROXY header, which the first ones lack.

use anyhow::Result;

use crate::bench::Bench;
use crate::case::{Body, Case};
use crate::contender::Contender;
use crate::figure::Figure;
use crate::plan::{NGINX_KEEPALIVE_REQUESTS, Plan};
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    let mut contenders = vec![Contender::direct(), Contender::plain_floor()];
    contenders.extend(
        bench
            .phases
            .numbers
            .iter()
            .map(|&number| Contender::plain_phase(number)),
    );

    let connections = bench.connections();
    Ok(Plan {
        scenario: "phases",
        contenders,
        cases: vec![
            Case::small(connections),
            Case::new(Body::Mib1, (connections / 5).max(1)),
        ],
        seconds: bench.seconds(4),
        rounds: bench.rounds(3),
        keepalive_requests: NGINX_KEEPALIVE_REQUESTS,
    })
}

pub fn views() -> Vec<View> {
    vec![
        View::Table {
            figures: &[
                Figure::RequestsPerSecond,
                Figure::RequestsPerCoreSecond,
                Figure::BytesPerCoreSecond,
                Figure::P99Micros,
                Figure::RssKib,
            ],
        },
        View::Ratios {
            base: "phase-01",
            figures: &[Figure::RequestsPerSecond, Figure::RequestsPerCoreSecond],
        },
        View::Bars {
            figure: Figure::RequestsPerCoreSecond,
            title: "Requests per CPU second, phase by phase",
        },
        View::Bars {
            figure: Figure::BytesPerCoreSecond,
            title: "Bytes per CPU second, phase by phase",
        },
    ]
}
