//! Everybody does the same work: bytes, with a PROXY header in front. HTTP proxies,
//! tuned, stand beside it, because the article compared with those.

use anyhow::Result;

use crate::bench::Bench;
use crate::case::Case;
use crate::contender::Contender;
use crate::figure::Figure;
use crate::plan::{NGINX_KEEPALIVE_REQUESTS, Plan};
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    Ok(Plan {
        scenario: "fair",
        contenders: [
            Contender::direct(),
            Contender::floor(),
            Contender::haproxy("haproxy-tcp"),
            Contender::haproxy("haproxy-tcp-splice"),
            Contender::nginx("nginx-stream"),
            Contender::nginx("nginx-stream-tuned"),
            Contender::haproxy("haproxy-http-tuned"),
            Contender::nginx("nginx-http-tuned"),
        ]
        .into_iter()
        .chain(bench.phases.compared()?.map(Contender::phase))
        .collect(),
        cases: vec![Case::small(bench.connections())],
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
                Figure::PssKib,
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
            title: "Requests per second",
        },
        View::Bars {
            figure: Figure::RequestsPerCoreSecond,
            title: "Requests per second and core",
        },
    ]
}

const RATIOS: &[Figure] = &[
    Figure::RequestsPerSecond,
    Figure::RequestsPerCoreSecond,
    Figure::P99Micros,
];
