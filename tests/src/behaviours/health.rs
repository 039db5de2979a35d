//! Active checks: who is taken out, and when.

use std::thread;
use std::time::{Duration, Instant};

use crate::backend::Backend;
use crate::client::{served, who};
use crate::door::{Blackhole, Door};
use crate::matrix::Cell::{Flaw, Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::{Phase, Start};
use crate::record::QUIET;

pub const ROWS: &[Row] = &[
    Row {
        name: "dead_backend_gets_no_share",
        says: "A backend that refuses gets no clients once the checks have found out.",
        run: dead_backend_gets_no_share,
        cells: &[
            (1, NotAsked),
            (2, Flaw("dead-backend", "10 of 20 served")),
            (3, Has("20 of 20 served")),
        ],
    },
    Row {
        name: "down_backend_leaves_and_returns",
        says: "A backend that goes down gets no clients, and gets them again when it is back.",
        run: down_backend_leaves_and_returns,
        cells: &[
            (1, NotAsked),
            (2, Lacks("while down: b and nobody; when back: a and b")),
            (3, Has("while down: b; when back: a and b")),
        ],
    },
    Row {
        name: "one_answer_is_not_enough",
        says: "Only `--fall` failures in a row take a backend out, and only `--rise` successes bring it back.",
        run: one_answer_is_not_enough,
        cells: &[
            (1, NotAsked),
            (3, Has("down after 5 checks; up after 5 checks")),
        ],
    },
    Row {
        name: "transition_is_logged_once",
        says: "The log tells that a backend goes down or up, and not that it still is.",
        run: transition_is_logged_once,
        cells: &[(1, NotAsked), (3, Has("down: 1 line; up: 1 line"))],
    },
    Row {
        name: "check_has_a_deadline",
        says: "A backend that does not answer a check at all is down.",
        run: check_has_a_deadline,
        cells: &[(1, NotAsked), (3, Has("it is found down"))],
    },
    Row {
        name: "checks_are_not_heard",
        says: "A server that is up is not bothered with connections on which nothing is said.",
        run: checks_are_not_heard,
        cells: &[(1, NotAsked), (3, Has("after ten checks: hardly any"))],
    },
    Row {
        name: "all_down_closes_the_client",
        says: "When every backend is down the client is closed at once, and the log tells why.",
        run: all_down_closes_the_client,
        cells: &[
            (1, NotAsked),
            (2, Lacks("closed; the log does not tell why")),
            (3, Has("closed; the log tells why")),
        ],
    },
];

fn checked(phase: &Phase) -> Start<'_> {
    phase
        .proxy()
        .flag("--health-interval", "50ms")
        .flag("--rise", 2)
        .flag("--fall", 2)
}

fn has_checks(phase: &Phase) -> bool {
    phase.knows("--health-interval")
}

fn dead_backend_gets_no_share(phase: &Phase) -> String {
    let (dead, b) = (Door::closed(), Backend::naming("b"));
    let proxy = checked(phase)
        .backend(dead.addr())
        .backend(b.addr())
        .start();
    if has_checks(phase) {
        proxy.wait_log(&[&dead.addr().to_string(), "is down"]);
    }
    served(proxy.addr(), 20)
}

fn down_backend_leaves_and_returns(phase: &Phase) -> String {
    let (mut a, b) = (Backend::naming("a"), Backend::naming("b"));
    let proxy = checked(phase).backend(a.addr()).backend(b.addr()).start();
    let name = a.addr().to_string();
    proxy.addr();

    a.go_down();
    if has_checks(phase) {
        proxy.wait_log(&[&name, "is down"]);
    }
    let down = who(proxy.addr(), 6);

    a.come_back();
    if has_checks(phase) {
        proxy.wait_log(&[&name, "is up"]);
    }
    let back = who(proxy.addr(), 6);
    format!("while down: {down}; when back: {back}")
}

/// Only a lower bound is measured: a busy machine makes checks rarer, not denser.
fn one_answer_is_not_enough(phase: &Phase) -> String {
    let mut a = Backend::naming("a");
    let name = a.addr().to_string();
    let proxy = phase
        .proxy()
        .flag("--health-interval", "100ms")
        .flag("--fall", 5)
        .flag("--rise", 5)
        .backend(a.addr())
        .start();
    proxy.addr();

    // Five checks span four intervals of at least 90 ms.
    let enough = |since: Instant| {
        if since.elapsed() >= Duration::from_millis(350) {
            "after 5 checks"
        } else {
            "too soon"
        }
    };
    let start = Instant::now();
    a.go_down();
    proxy.wait_log(&[&name, "is down"]);
    let down = enough(start);

    let start = Instant::now();
    a.come_back();
    proxy.wait_log(&[&name, "is up"]);
    let up = enough(start);
    format!("down {down}; up {up}")
}

fn transition_is_logged_once(phase: &Phase) -> String {
    let mut a = Backend::naming("a");
    let name = a.addr().to_string();
    let proxy = checked(phase).backend(a.addr()).start();
    proxy.addr();

    a.go_down();
    proxy.wait_log(&[&name, "is down"]);
    thread::sleep(QUIET);
    a.come_back();
    proxy.wait_log(&[&name, "is up"]);
    thread::sleep(QUIET);
    format!(
        "down: {} line; up: {} line",
        proxy.count_log(&[&name, "is down"]),
        proxy.count_log(&[&name, "is up"])
    )
}

fn check_has_a_deadline(phase: &Phase) -> String {
    let hole = Blackhole::open();
    let proxy = checked(phase)
        .flag("--health-timeout", "100ms")
        .backend(hole.addr())
        .start();
    let found = proxy.finds_log(&[&hole.addr().to_string(), "is down"]);
    format!("it is {}", if found { "found down" } else { "thought up" })
}

/// A machine that is busy for a fifth of a second confirms the handshake after all.
fn checks_are_not_heard(phase: &Phase) -> String {
    let (a, dead) = (Backend::naming("a"), Door::closed());
    let proxy = phase
        .proxy()
        .flag("--health-interval", "20ms")
        .flag("--fall", 10)
        .backend(a.addr())
        .backend(dead.addr())
        .start();

    // It has been checked ten times, and so has the other one, give or take a few.
    proxy.wait_log(&[&dead.addr().to_string(), "is down"]);
    let heard = match a.accepted() {
        0..=3 => "hardly any",
        _ => "many",
    };
    format!("after ten checks: {heard}")
}

fn all_down_closes_the_client(phase: &Phase) -> String {
    let dead = [Door::closed(), Door::closed()];
    let proxy = checked(phase)
        .backend(dead[0].addr())
        .backend(dead[1].addr())
        .start();
    if has_checks(phase) {
        for door in &dead {
            proxy.wait_log(&[&door.addr().to_string(), "is down"]);
        }
    }

    let end = Peer::connect(proxy.addr()).end_within(Duration::from_secs(1));
    let told = if has_checks(phase) {
        proxy.finds_log(&["no backend is up"])
    } else {
        thread::sleep(QUIET);
        proxy.count_log(&["no backend is up"]) > 0
    };
    format!(
        "{end}; the log {}",
        if told {
            "tells why"
        } else {
            "does not tell why"
        }
    )
}
