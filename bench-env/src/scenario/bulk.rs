//! Large answers: what a byte costs.

use anyhow::Result;

use crate::bench::Bench;
use crate::case::{Body, Case};
use crate::contender::Contender;
use crate::figure::Figure;
use crate::plan::{NGINX_KEEPALIVE_REQUESTS, Plan};
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    // Fewer connections for larger answers: what is in flight should fit into memory.
    let connections = bench.connections();
    let share = |part: u32| (connections / part).max(1);

    Ok(Plan {
        scenario: "bulk",
        contenders: [
            Contender::direct(),
            Contender::floor(),
            Contender::haproxy("haproxy-tcp"),
            Contender::haproxy("haproxy-tcp-splice"),
            Contender::nginx("nginx-stream"),
        ]
        .into_iter()
        .chain(bench.phases.compared()?.map(Contender::phase))
        .collect(),
        cases: vec![
            Case::new(Body::Kib64, connections),
            Case::new(Body::Mib1, share(5)),
            Case::new(Body::Mib100, share(25)),
        ],
        seconds: bench.seconds(5),
        rounds: bench.rounds(5),
        keepalive_requests: NGINX_KEEPALIVE_REQUESTS,
    })
}

pub fn views() -> Vec<View> {
    vec![
        View::Table {
            figures: &[
                Figure::BytesPerSecond,
                Figure::Cores,
                Figure::BytesPerCoreSecond,
                Figure::P99Micros,
            ],
        },
        View::Ratios {
            base: "haproxy-tcp",
            figures: &[
                Figure::BytesPerSecond,
                Figure::BytesPerCoreSecond,
                Figure::P99Micros,
            ],
        },
        View::Bars {
            figure: Figure::BytesPerSecond,
            title: "Bytes per second",
        },
        View::Bars {
            figure: Figure::BytesPerCoreSecond,
            title: "Bytes per CPU second of the proxy",
        },
    ]
}
