//! What is counted while connections go on, and the log for programs.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::backend::Backend;
use crate::client::ask_all;
use crate::door::Door;
use crate::matrix::Cell::{Has, NotAsked};
use crate::matrix::Row;
use crate::metrics::{Page, settles_at};
use crate::phase::Phase;

pub const ROWS: &[Row] = &[
    Row {
        name: "bytes_are_counted_as_they_pass",
        says: "Bytes are counted while a connection is still open, and stay counted when it breaks off.",
        run: bytes_are_counted_as_they_pass,
        cells: &[
            (1, NotAsked),
            (
                8,
                Has("open: 1000 up, 3000 down; broken off: 1500 up, 3000 down"),
            ),
        ],
    },
    Row {
        name: "retries_and_failures_are_counted",
        says: "A counter tells how often a client had to be given to another backend, and one for each backend how often it failed.",
        run: retries_and_failures_are_counted,
        cells: &[
            (1, NotAsked),
            (
                8,
                Has("aaaa; retries: 4; failures of the dead one: 4, of the other: 0"),
            ),
        ],
    },
    Row {
        name: "connect_duration_is_the_connect",
        says: "The time to a connected backend begins with the first attempt: what held the client up before is not the backend's.",
        run: connect_duration_is_the_connect,
        cells: &[(1, NotAsked), (8, Has("the connect alone"))],
    },
    Row {
        name: "log_is_json_if_wanted",
        says: "With `--log-format json` each line is an object, and the access log has the fields that it has as text.",
        run: log_is_json_if_wanted,
        cells: &[
            (1, NotAsked),
            (8, Has("all lines are objects; the same fields")),
        ],
    },
];

fn bytes_are_counted_as_they_pass(phase: &Phase) -> String {
    let (proxy, client, server) = phase.proxy().flag("--metrics", "127.0.0.1:0").dialogue();
    let counted = || {
        let page = Page::read(&proxy);
        let [up, down] = ["client_to_backend", "backend_to_client"].map(|direction| {
            page.value(&format!(
                "tcpproxy_bytes_total{{direction=\"{direction}\"}}"
            ))
        });
        format!("{up} up, {down} down")
    };

    client.say([b'q'; 1000]);
    server.hear(1000);
    server.say([b'a'; 3000]);
    client.hear(3000);
    let open = counted();

    client.say([b'q'; 500]);
    server.hear(500);
    client.reset();
    settles_at(&proxy, "tcpproxy_connections_active", 0);
    format!("open: {open}; broken off: {}", counted())
}

fn retries_and_failures_are_counted(phase: &Phase) -> String {
    let (dead, a) = (Door::closed(), Backend::naming("a"));
    let proxy = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        // The dead one keeps its share.
        .flag("--fall", 1000)
        .backend(dead.addr())
        .backend(a.addr())
        .start();

    let served = ask_all(proxy.addr(), 4);
    settles_at(&proxy, "tcpproxy_connections_active", 0);
    let page = Page::read(&proxy);
    let [of_dead, of_a] = [dead.addr(), a.addr()].map(|backend| {
        page.value(&format!(
            "tcpproxy_backend_failures_total{{backend=\"{backend}\"}}"
        ))
    });
    format!(
        "{served}; retries: {}; failures of the dead one: {of_dead}, of the other: {of_a}",
        page.value("tcpproxy_retries_total")
    )
}

fn connect_duration_is_the_connect(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let start = phase.proxy().backend(backend.addr());
    let start = start.flag("--metrics", "127.0.0.1:0");
    let proxy = start.flag("--fault-delay", "1,2s").start();
    ask_all(proxy.addr(), 1);

    settles_at(&proxy, "tcpproxy_connect_duration_seconds_count", 1);
    let seconds = Page::read(&proxy).sum("tcpproxy_connect_duration_seconds_sum");
    let alone = seconds < 1.0;
    if alone {
        "the connect alone"
    } else {
        "the delay, too"
    }
    .into()
}

fn log_is_json_if_wanted(phase: &Phase) -> String {
    let log_of = |format: &str| {
        let backend = Backend::naming("a");
        let dead = Door::closed();
        // Both a warning and the access log.
        let proxy = phase
            .proxy()
            .flag("--log-format", format)
            .flag("--fall", 1)
            .backend(backend.addr())
            .backend(dead.addr())
            .start();
        ask_all(proxy.addr(), 2);
        let line = proxy.wait_log(&["access", "attempts", "2"]);
        (proxy, line)
    };

    let (_proxy, text) = log_of("text");
    let fields = text.split_once("access: ").map_or("", |(_, fields)| fields);
    let as_text: BTreeSet<_> = fields
        .split(' ')
        .filter_map(|field| Some(field.split_once('=')?.0.to_owned()))
        .collect();

    let (proxy, line) = log_of("json");
    let objects = proxy
        .log()
        .look(|lines| lines.iter().all(|line| object(line).is_some()));
    let as_json: BTreeSet<_> = object(&line)
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .filter(|name| !["timestamp", "level", "target"].contains(&&name[..]))
        .collect();

    format!(
        "{}; {}",
        if objects {
            "all lines are objects"
        } else {
            "some lines are no objects"
        },
        if as_json == as_text && as_text.contains("cause") {
            "the same fields".into()
        } else {
            format!("text: {as_text:?}; JSON: {as_json:?}")
        }
    )
}

fn object(line: &str) -> Option<Map<String, Value>> {
    serde_json::from_str(line).ok()
}
