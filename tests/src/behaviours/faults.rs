//! Connections that are broken on purpose.

use std::time::{Duration, Instant};

use crate::backend::Backend;
use crate::client::{ask, ask_all};
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::metrics::{Page, settles_at};
use crate::phase::{Phase, Start};

pub const ROWS: &[Row] = &[
    Row {
        name: "fault_delays",
        says: "With `--fault-delay 1,TIME` each connection is held up for that time.",
        run: fault_delays,
        cells: &[(1, Lacks("a at once")), (9, Has("a after the delay"))],
    },
    Row {
        name: "fault_disconnects",
        says: "With `--fault-disconnect 1` no client reaches the backend.",
        run: fault_disconnects,
        cells: &[
            (1, Lacks("aaa; the backend: 3 connections")),
            (9, Has("---; the backend: 0 connections")),
        ],
    },
    Row {
        name: "fault_seed_repeats_a_run",
        says: "The same seed strikes the same connections again, also if other faults are on; another seed strikes others.",
        run: fault_seed_repeats_a_run,
        cells: &[
            (
                1,
                Lacks(
                    "all served; again: the same; beside a delay: the same; another seed: the same",
                ),
            ),
            (
                9,
                Has("some served; again: the same; beside a delay: the same; another seed: others"),
            ),
        ],
    },
    Row {
        name: "faults_are_counted",
        says: "The log and the metrics tell a fault from a failure, and there is none unless it is wanted.",
        run: faults_are_counted,
        cells: &[
            (1, NotAsked),
            (
                9,
                Has(
                    "delay: 2 counted, cause --; disconnect: 2 counted, cause PF; none wanted: 0 counted, cause --",
                ),
            ),
        ],
    },
];

fn fault_delays(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase
        .proxy()
        .flag("--fault-delay", "1,1500ms")
        .backend(backend.addr())
        .start();
    let addr = proxy.addr();

    let start = Instant::now();
    let name = ask(addr);
    let late = start.elapsed() >= Duration::from_millis(1500);
    format!(
        "{name} {}",
        if late { "after the delay" } else { "at once" }
    )
}

fn fault_disconnects(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase
        .proxy()
        .flag("--fault-disconnect", 1)
        .backend(backend.addr())
        .start();
    let names = ask_all(proxy.addr(), 3);
    format!("{names}; the backend: {} connections", backend.settled())
}

fn fault_seed_repeats_a_run(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let run = |seed: u64, delay: &str| {
        let proxy = phase
            .proxy()
            .flag("--fault-disconnect", 0.5)
            .flag("--fault-delay", delay)
            .flag("--fault-seed", seed)
            .backend(backend.addr())
            .start();
        ask_all(proxy.addr(), 20)
    };

    let first = run(7, "0,1ms");
    let served = match (first.contains('a'), first.contains('-')) {
        (true, false) => "all",
        (true, true) => "some",
        (false, _) => "none",
    };
    let than_first = |names: &str| if names == first { "the same" } else { "others" };
    format!(
        "{served} served; again: {}; beside a delay: {}; another seed: {}",
        than_first(&run(7, "0,1ms")),
        than_first(&run(7, "0.5,1ms")),
        than_first(&run(8, "0,1ms"))
    )
}

fn faults_are_counted(phase: &Phase) -> String {
    let delayed = counted(phase, |start| start.flag("--fault-delay", "1,1ms"));
    let cut = counted(phase, |start| start.flag("--fault-disconnect", 1));
    let none = counted(phase, |start| start);
    format!("delay: {delayed}; disconnect: {cut}; none wanted: {none}")
}

/// What two connections leave in the metrics and in the log.
fn counted(phase: &Phase, faults: impl Fn(Start<'_>) -> Start<'_>) -> String {
    let backend = Backend::naming("a");
    let start = phase.proxy().flag("--metrics", "127.0.0.1:0");
    let proxy = faults(start).backend(backend.addr()).start();
    ask_all(proxy.addr(), 2);

    settles_at(&proxy, "tcpproxy_connections_active", 0);
    let page = Page::read(&proxy);
    let causes: Vec<_> = ["PF", "--"]
        .into_iter()
        .filter(|cause| page.value(&format!("tcpproxy_closed_total{{cause=\"{cause}\"}}")) == "2")
        .filter(|cause| proxy.finds_log(&["access", &format!("cause=\"{cause}\"")]))
        .collect();
    format!(
        "{} counted, cause {}",
        page.sum("tcpproxy_faults_total{"),
        causes.join(" and ")
    )
}
