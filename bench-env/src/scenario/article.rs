//! The article's benchmark, with its own contenders.
//!
//! On twelve cores a hundred clients could not keep the machine busy while they waited
//! for the peek. On a few cores they can, and the wait hides behind the others' work:
//! so that it shows everywhere, a second case has a tenth of the clients.

use std::time::Duration;

use anyhow::Result;

use crate::bench::Bench;
use crate::case::Case;
use crate::contender::Contender;
use crate::figure::{Figure, thousands};
use crate::phases::FINISHED;
use crate::plan::{ARTICLE_KEEPALIVE_REQUESTS, Plan};
use crate::result::Outcome;
use crate::statistics;
use crate::view::View;

pub fn plan(bench: &Bench) -> Result<Plan> {
    let connections = bench.connections();
    let mut cases = vec![Case::small(connections)];
    if connections >= 10 {
        cases.push(Case::small(connections / 10));
    }

    // It has a longer deadline, which costs only clients that say nothing.
    let newest = bench.phases.compared()?.skip(1);
    let newest = newest.map(|number| Contender::peeking_phase(number, PATIENT));

    Ok(Plan {
        scenario: "article",
        contenders: [
            Contender::direct(),
            Contender::floor(),
            Contender::haproxy("haproxy-http"),
            Contender::nginx("nginx-http"),
            Contender::peeking_phase(FINISHED, SLOW),
            Contender::peeking_phase(FINISHED, QUICK),
        ]
        .into_iter()
        .chain(newest)
        .collect(),
        cases,
        seconds: bench.seconds(20),
        rounds: bench.rounds(3),
        keepalive_requests: ARTICLE_KEEPALIVE_REQUESTS,
    })
}

pub fn views() -> Vec<View> {
    vec![
        View::Table {
            figures: &[
                Figure::RequestsPerSecond,
                Figure::Cores,
                Figure::RssKib,
                Figure::RequestsPerCoreSecond,
                Figure::P99Micros,
                Figure::Connections,
                Figure::WaitSecondsPerClient,
            ],
        },
        View::Ratios {
            base: "haproxy-http",
            figures: &[Figure::RequestsPerSecond, Figure::RequestsPerCoreSecond],
        },
        View::Bars {
            figure: Figure::RequestsPerSecond,
            title: "Requests per second",
        },
        View::Bars {
            figure: Figure::RequestsPerCoreSecond,
            title: "Requests per second and core",
        },
        View::Text(published),
        View::Text(arithmetic),
    ]
}

/// The article's figures; those in italics are not in it, but follow from others.
fn published(_: &Outcome) -> String {
    "### What the article published\n\n\
     Twelve cores, Ubuntu 22.04, wrk `-t4 -c100`, 20 s or 60 s. Figures in *italics* are not \
     printed there; they follow from those that are.\n\n\
     | | req/s | cores | RSS | req/s per core | connections total |\n\
     | --- | ---: | ---: | ---: | ---: | ---: |\n\
     | HAProxy (HTTP) | *131,000 to 141,000* | *5.1 to 5.5* | | 25,900 | |\n\
     | nginx (HTTP) | *91,000* | 12 | | 7,600 | |\n\
     | its proxy, 200 ms | *26,700* | | | | 5,440 (20 s) |\n\
     | its proxy, 1 ms | 103,075 | 1.75 | 6–8 MB | 58,900 | *61,900* (60 s) |\n"
        .to_owned()
}

/// The article's own proof, with the figures of this machine.
fn arithmetic(outcome: &Outcome) -> String {
    let [slow, quick] = [SLOW, QUICK].map(|peek| Contender::peeking_phase(FINISHED, peek).name);
    let mut text = "### Where the time goes\n\n\
        - the article: 5,440 connections × 200 ms ÷ 100 clients = 10.9 s of each client's 20 s.\n"
        .to_owned();
    let mut is_hidden = false;

    for case in &outcome.cases {
        let of = |figure| statistics::spread(outcome, &slow, &case.name, figure);
        let ratio = statistics::ratio(
            outcome,
            &slow,
            &quick,
            &case.name,
            Figure::RequestsPerSecond,
        );
        let (Some(connections), Some(waited), Some(ratio)) = (
            of(Figure::Connections),
            of(Figure::WaitSecondsPerClient),
            ratio,
        ) else {
            continue;
        };
        is_hidden |= ratio.median > HIDDEN;

        let clients = case.name.rsplit(' ').next().unwrap_or_default();
        text.push_str(&format!(
            "- here, {clients} clients: {} connections × {} ms ÷ {clients} clients = {:.1} s of \
             each client's {} s; {:.0} % of the requests that the same clients make with 1 ms.\n",
            thousands(connections.median),
            SLOW.as_millis(),
            waited.median,
            outcome.settings.seconds,
            100.0 * ratio.median,
        ));
    }

    if is_hidden {
        text.push_str(
            "\nA client that waits for the peek uses no core. Where the other clients are enough \
             to keep all cores of the machine busy, they make the requests instead, and the wait \
             shows in the life of each connection rather than in the sum. Fewer clients, or more \
             cores, bring it to light.\n",
        );
    }
    text
}

/// The default of the article's finished proxy.
const SLOW: Duration = Duration::from_millis(200);

/// What the article set instead.
const QUICK: Duration = Duration::from_millis(1);

/// The default from phase 13 on.
const PATIENT: Duration = Duration::from_secs(3);

/// Above this part of the other's requests, a reader would look for the wait in vain.
const HIDDEN: f64 = 0.7;
