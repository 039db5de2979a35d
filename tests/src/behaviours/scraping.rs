//! The metrics page, for whoever scrapes it.

use crate::backend::Backend;
use crate::client::ask;
use crate::door::Door;
use crate::matrix::Cell::{Has, NotAsked};
use crate::matrix::Row;
use crate::metrics::{self, Page};
use crate::peer::Peer;
use crate::phase::Phase;

pub const ROWS: &[Row] = &[
    Row {
        name: "page_is_served_to_get_only",
        says: "`GET /metrics` gives the page in Prometheus' text format; other paths and methods give the error that HTTP has for them.",
        run: page_is_served_to_get_only,
        cells: &[
            (1, NotAsked),
            (
                8,
                Has(
                    "GET /metrics: 200 as text/plain; version=0.0.4; GET /: 404; POST /metrics: 405, allowed is GET",
                ),
            ),
        ],
    },
    Row {
        name: "every_series_begins_at_zero",
        says: "Each series is there before the first client, with zero for a value, and each counter's name ends in `_total`.",
        run: every_series_begins_at_zero,
        cells: &[
            (1, NotAsked),
            (
                8,
                Has("none is missing; none is above zero; none is misnamed"),
            ),
        ],
    },
    Row {
        name: "scrapers_hold_nobody_up",
        says: "Scrapers that send nonsense, break off or say nothing hold up neither clients nor, when they have gone, other scrapers.",
        run: scrapers_hold_nobody_up,
        cells: &[
            (1, NotAsked),
            (
                8,
                Has(
                    "nonsense: 400; after a reset: 200; beside 5 silent ones: 200; a client beside 25: a; after them: 1 counted",
                ),
            ),
        ],
    },
];

fn page_is_served_to_get_only(phase: &Phase) -> String {
    let backend = Door::closed();
    let proxy = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        .backend(backend.addr())
        .start();
    let answer = |request: &str| {
        metrics::request(
            &proxy,
            &format!("{request} HTTP/1.1\r\nHost: proxy\r\n\r\n"),
        )
    };

    let page = answer("GET /metrics");
    let other = answer("GET /");
    let post = answer("POST /metrics");
    format!(
        "GET /metrics: {} as {}; GET /: {}; POST /metrics: {}, allowed is {}",
        status(&page),
        field(&page, "content-type"),
        status(&other),
        status(&post),
        field(&post, "allow")
    )
}

fn status(answer: &str) -> &str {
    answer.split(' ').nth(1).unwrap_or("no status")
}

/// The value of a field in the head of an answer.
fn field<'a>(answer: &'a str, name: &str) -> &'a str {
    let head = answer.split("\r\n\r\n").next().unwrap_or_default();
    let mut fields = head.lines().filter_map(|line| line.split_once(": "));
    fields
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map_or("not said", |(_, value)| value)
}

fn every_series_begins_at_zero(phase: &Phase) -> String {
    let backend = Door::closed();
    let proxy = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        .backend(backend.addr())
        .start();
    let page = Page::read(&proxy);

    let mut missing = Vec::new();
    let mut not_zero = Vec::new();
    for (flag, name) in SERIES {
        let series = format!(
            "tcpproxy_{}",
            name.replace("ADDR", &backend.addr().to_string())
        );
        match &page.value(&series)[..] {
            _ if !phase.knows(flag) => {}
            "none" => missing.push(*name),
            "0" => {}
            _ => not_zero.push(*name),
        }
    }
    let misnamed: Vec<_> = page
        .counters()
        .filter(|name| !name.ends_with("_total"))
        .collect();

    let or_none = |names: &[&str]| match names {
        [] => "none".into(),
        _ => names.join(", "),
    };
    format!(
        "{} is missing; {} is above zero; {} is misnamed",
        or_none(&missing),
        or_none(&not_zero),
        or_none(&misnamed)
    )
}

fn scrapers_hold_nobody_up(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        .backend(backend.addr())
        .start();
    let addr = metrics::addr(&proxy);

    let nonsense = metrics::request(&proxy, "\x16\x03\x01 nonsense\r\n\r\n");
    Peer::connect(addr).say("GET /met").finish();
    Peer::connect(addr).reset();
    let then = metrics::request(&proxy, GET);

    let few: Vec<_> = (0..5).map(|_| Peer::connect(addr)).collect();
    let beside = metrics::request(&proxy, GET);
    // More than may be answered at the same time.
    let many: Vec<_> = (0..20).map(|_| Peer::connect(addr)).collect();
    let client = ask(proxy.addr());
    drop((few, many));
    // A place is free again when the proxy has noticed that its scraper has gone.
    let counted = metrics::settles_at(&proxy, "tcpproxy_connections_total", 1);

    format!(
        "nonsense: {}; after a reset: {}; beside 5 silent ones: {}; a client beside 25: {client}; after them: {counted} counted",
        status(&nonsense),
        status(&then),
        status(&beside)
    )
}

const GET: &str = "GET /metrics HTTP/1.1\r\nHost: proxy\r\n\r\n";

/// What has to be on the page, and which flag brought it.
const SERIES: &[(&str, &str)] = &[
    ("--metrics", "connections_total"),
    ("--metrics", "connections_active"),
    ("--metrics", "rejected_total{reason=\"max_connections\"}"),
    ("--metrics", "rejected_total{reason=\"rate_limit\"}"),
    ("--metrics", "bytes_total{direction=\"client_to_backend\"}"),
    ("--metrics", "bytes_total{direction=\"backend_to_client\"}"),
    ("--metrics", "backend_failures_total{backend=\"ADDR\"}"),
    ("--metrics", "pool_idle_connections{backend=\"ADDR\"}"),
    ("--metrics", "connect_duration_seconds_count"),
    ("--metrics", "session_duration_seconds_count"),
    ("--metrics", "retries_total"),
    ("--metrics", "accept_errors_total{kind=\"aborted\"}"),
    ("--metrics", "accept_errors_total{kind=\"exhausted\"}"),
    ("--metrics", "closed_total{cause=\"--\"}"),
    ("--metrics", "closed_total{cause=\"PA\"}"),
    ("--metrics", "closed_total{cause=\"PC\"}"),
    ("--metrics", "closed_total{cause=\"SC\"}"),
    ("--metrics", "closed_total{cause=\"sC\"}"),
    ("--metrics", "closed_total{cause=\"CN\"}"),
    ("--metrics", "closed_total{cause=\"SN\"}"),
    ("--metrics", "closed_total{cause=\"CD\"}"),
    ("--metrics", "closed_total{cause=\"cD\"}"),
    ("--metrics", "closed_total{cause=\"SD\"}"),
    ("--metrics", "closed_total{cause=\"sD\"}"),
    ("--metrics", "closed_total{cause=\"KC\"}"),
    ("--metrics", "closed_total{cause=\"KD\"}"),
    ("--metrics", "closed_total{cause=\"IC\"}"),
    ("--metrics", "closed_total{cause=\"ID\"}"),
    ("--fault-delay", "closed_total{cause=\"PF\"}"),
    ("--fault-delay", "faults_total{kind=\"delay\"}"),
    ("--fault-delay", "faults_total{kind=\"disconnect\"}"),
    ("--sni", "closed_total{cause=\"CI\"}"),
    ("--sni", "peek_results_total{result=\"tls_sni\"}"),
    ("--sni", "peek_results_total{result=\"tls_no_sni\"}"),
    ("--sni", "peek_results_total{result=\"malformed\"}"),
    ("--sni", "peek_results_total{result=\"too_large\"}"),
    ("--sni", "peek_results_total{result=\"timeout\"}"),
    ("--sni", "peek_results_total{result=\"eof\"}"),
    ("--drain-timeout", "draining"),
    (
        "--pool-max-idle",
        "pool_events_total{backend=\"ADDR\",event=\"hit\"}",
    ),
    (
        "--pool-max-idle",
        "pool_events_total{backend=\"ADDR\",event=\"miss\"}",
    ),
    (
        "--pool-max-idle",
        "pool_events_total{backend=\"ADDR\",event=\"stale\"}",
    ),
    (
        "--pool-max-idle",
        "pool_events_total{backend=\"ADDR\",event=\"expired\"}",
    ),
];
