//! A new connection for every request, on both sides of the proxy.

use anyhow::Result;

use crate::bench::Bench;
use crate::case::Case;
use crate::contender::Contender;
use crate::figure::Figure;
use crate::plan::{NGINX_KEEPALIVE_REQUESTS, Plan};
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    let mut case = Case::small(bench.connections());
    case.close = true;

    Ok(Plan {
        scenario: "churn",
        contenders: [
            Contender::direct(),
            Contender::floor(),
            Contender::haproxy("haproxy-tcp"),
            Contender::nginx("nginx-stream"),
            Contender::nginx("nginx-stream-tuned"),
        ]
        .into_iter()
        .chain(bench.phases.compared()?.map(Contender::phase))
        .chain([Contender::phase_without_pool(bench.phases.newest()?)])
        .collect(),
        cases: vec![case],
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
                Figure::P50Micros,
                Figure::P99Micros,
            ],
        },
        View::Ratios {
            base: "haproxy-tcp",
            figures: RATIOS,
        },
        View::Ratios {
            base: "nginx-stream",
            figures: RATIOS,
        },
        View::Bars {
            figure: Figure::RequestsPerSecond,
            title: "Connections per second, one request each",
        },
    ]
}

const RATIOS: &[Figure] = &[
    Figure::RequestsPerSecond,
    Figure::RequestsPerCoreSecond,
    Figure::P99Micros,
];
