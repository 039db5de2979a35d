//! Connections that are broken on purpose.

use std::time::{Duration, Instant};

use crate::backend::Backend;
use crate::client::{ask, ask_all};
use crate::matrix::Cell::{Has, Lacks};
use crate::matrix::Row;
use crate::phase::Phase;

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
        says: "The same seed strikes the same connections again.",
        run: fault_seed_repeats_a_run,
        cells: &[
            (1, Lacks("all served; the same again")),
            (9, Has("some served; the same again")),
        ],
    },
];

fn fault_delays(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase
        .proxy()
        .flag("--fault-delay", "1,700ms")
        .backend(backend.addr())
        .start();
    let addr = proxy.addr();

    let start = Instant::now();
    let name = ask(addr);
    let late = start.elapsed() >= Duration::from_millis(700);
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
    let run = || {
        let proxy = phase
            .proxy()
            .flag("--workers", 1)
            .flag("--fault-disconnect", 0.5)
            .flag("--fault-seed", 7)
            .backend(backend.addr())
            .start();
        ask_all(proxy.addr(), 20)
    };

    let (first, second) = (run(), run());
    let served = match (first.contains('a'), first.contains('-')) {
        (true, false) => "all",
        (true, true) => "some",
        (false, _) => "none",
    };
    format!(
        "{served} served; {}",
        if first == second {
            "the same again"
        } else {
            "others the second time"
        }
    )
}
