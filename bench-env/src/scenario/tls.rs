//! TLS handshakes through routing by name. The proxies read the name in the first
//! message and pass everything on; the backends end TLS.

use anyhow::Result;

use crate::bench::Bench;
use crate::case::Case;
use crate::contender::Contender;
use crate::figure::Figure;
use crate::plan::{NGINX_KEEPALIVE_REQUESTS, Plan};
use crate::result::Outcome;
use crate::rounds;
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    let mut case = Case::small(bench.connections());
    (case.close, case.tls) = (true, true);

    Ok(Plan {
        scenario: "tls",
        contenders: [
            Contender::direct(),
            Contender::floor(),
            Contender::haproxy("haproxy-sni"),
            Contender::nginx("nginx-sni"),
        ]
        .into_iter()
        .chain(bench.phases.compared()?.map(Contender::tls_phase))
        .collect(),
        cases: vec![case],
        seconds: bench.seconds(5),
        rounds: bench.rounds(5),
        keepalive_requests: NGINX_KEEPALIVE_REQUESTS,
    })
}

/// Each request has a connection, and each connection a full handshake.
pub async fn run(bench: &mut Bench, plan: &Plan) -> Result<Outcome> {
    let mut outcome = rounds::run(bench, plan).await?;
    for measurement in &mut outcome.measurements {
        for (requests, handshakes) in [
            (Figure::RequestsPerSecond, Figure::HandshakesPerSecond),
            (
                Figure::RequestsPerCoreSecond,
                Figure::HandshakesPerCoreSecond,
            ),
        ] {
            if let Some(value) = measurement.figures.remove(&requests) {
                measurement.set(handshakes, value);
            }
        }
    }
    Ok(outcome)
}

pub fn views() -> Vec<View> {
    const RATIOS: &[Figure] = &[Figure::HandshakesPerSecond, Figure::HandshakesPerCoreSecond];

    vec![
        View::Table {
            figures: &[
                Figure::HandshakesPerSecond,
                Figure::Cores,
                Figure::HandshakesPerCoreSecond,
                Figure::P50Micros,
                Figure::P99Micros,
                Figure::BackendCores,
            ],
        },
        View::Ratios {
            base: "haproxy-sni",
            figures: RATIOS,
        },
        View::Ratios {
            base: "nginx-sni",
            figures: RATIOS,
        },
        View::Bars {
            figure: Figure::HandshakesPerSecond,
            title: "TLS handshakes per second",
        },
        View::Bars {
            figure: Figure::HandshakesPerCoreSecond,
            title: "TLS handshakes per CPU second of the proxy",
        },
    ]
}
