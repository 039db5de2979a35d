//! A backend fails, and the client should not notice.

use std::thread;
use std::time::{Duration, Instant};

use crate::backend::{self, Backend};
use crate::client::{answer, answer_within, ask, ask_all, served, who};
use crate::door::{Blackhole, Door};
use crate::matrix::Cell::{Flaw, Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::peer::{End, Peer};
use crate::phase::Phase;

pub const ROWS: &[Row] = &[
    Row {
        name: "nobody_notices_before_the_next_check",
        says: "A client that meets a backend which refuses is served by another one, checks or no checks.",
        run: nobody_notices_before_the_next_check,
        cells: &[
            (1, NotAsked),
            (2, Flaw("dead-backend", "50 of 100 served")),
            (3, Flaw("blind-interval", "50 of 100 served")),
            (4, Has("100 of 100 served")),
        ],
    },
    Row {
        name: "silent_address_costs_a_part_of_the_budget",
        says: "A backend that does not even refuse leaves enough of the connect budget to reach another one.",
        run: silent_address_costs_a_part_of_the_budget,
        cells: &[
            (1, NotAsked),
            (2, Lacks("still waiting")),
            (4, Has("served by b")),
        ],
    },
    Row {
        name: "connect_has_a_deadline",
        says: "A client whose only backend does not answer is closed when the connect budget is used up.",
        run: connect_has_a_deadline,
        cells: &[(1, Lacks("still open")), (4, Has("closed"))],
    },
    Row {
        name: "what_was_sent_is_not_repeated",
        says: "A backend may have acted on the bytes that it got, so no other one gets them.",
        run: what_was_sent_is_not_repeated,
        cells: &[
            (1, NotAsked),
            (2, Has("the client: -; the other backend: 0 connections")),
        ],
    },
    Row {
        name: "hanging_up_is_a_failure",
        says: "A backend that hangs up before its first byte is ejected, although the checks say it is up.",
        run: hanging_up_is_a_failure,
        cells: &[
            (1, NotAsked),
            (2, Lacks("5 of 10 served")),
            (4, Has("10 of 10 served")),
        ],
    },
    Row {
        name: "check_does_not_end_an_ejection",
        says: "Checks that succeed do not bring a backend back that clients have seen failing.",
        run: check_does_not_end_an_ejection,
        cells: &[
            (1, NotAsked),
            (3, Lacks("after three checks: b and nobody")),
            (4, Has("after three checks: b")),
        ],
    },
    Row {
        name: "ejection_ends_and_doubles",
        says: "An ejection ends by itself, and the next one is twice as long.",
        run: ejection_ends_and_doubles,
        cells: &[
            (1, NotAsked),
            (4, Has("first for 1s; then tried again; then for 2s")),
        ],
    },
    Row {
        name: "last_backend_is_never_ejected",
        says: "A backend that fails is still better than none.",
        run: last_backend_is_never_ejected,
        cells: &[(1, Has("----aa"))],
    },
];

fn nobody_notices_before_the_next_check(phase: &Phase) -> String {
    let (dead, b) = (Door::closed(), Backend::naming("b"));
    let proxy = phase.proxy().backend(dead.addr()).backend(b.addr()).start();
    served(proxy.addr(), 100)
}

fn silent_address_costs_a_part_of_the_budget(phase: &Phase) -> String {
    let (hole, b) = (Blackhole::open(), Backend::naming("b"));
    let proxy = phase
        .proxy()
        .flag("--connect-timeout", "2s")
        .backend(hole.addr())
        .backend(b.addr())
        .start();

    let client = Peer::connect(proxy.addr());
    match answer_within(&client, Duration::from_millis(1600)) {
        Ok(name) => format!("served by {name}"),
        Err(End::StillOpen) => "still waiting".into(),
        Err(end) => end.to_string(),
    }
}

fn connect_has_a_deadline(phase: &Phase) -> String {
    let hole = Blackhole::open();
    let proxy = phase
        .proxy()
        .flag("--connect-timeout", "300ms")
        .backend(hole.addr())
        .start();
    let end = Peer::connect(proxy.addr()).end_within(Duration::from_millis(1500));
    end.to_string()
}

fn what_was_sent_is_not_repeated(phase: &Phase) -> String {
    let a = Backend::start(|peer, _| {
        peer.hear(1);
        peer.reset();
    });
    let b = Backend::naming("b");
    let proxy = phase.proxy().backend(a.addr()).backend(b.addr()).start();

    let name = ask(proxy.addr());
    format!(
        "the client: {name}; the other backend: {} connections",
        b.settled()
    )
}

fn hanging_up_is_a_failure(phase: &Phase) -> String {
    let (a, b) = (Backend::hanging_up(), Backend::naming("b"));
    let proxy = phase
        .proxy()
        .flag("--health-interval", "50ms")
        .flag("--fall", 3)
        .backend(a.addr())
        .backend(b.addr())
        .start();

    // Three of these meet the backend that hangs up.
    ask_all(proxy.addr(), 6);
    if ejects(phase) {
        proxy.wait_log(&[&a.addr().to_string(), "is ejected"]);
    }
    // At once, because the ejection ends after a second.
    let clients = [(); 10].map(|()| Peer::connect(proxy.addr()));
    let served = clients.iter().filter(|client| answer(client) == "b");
    format!("{} of 10 served", served.count())
}

/// An ejection lasts a second, and whoever looks later sees nothing of it: that is
/// no answer, and the busy machine gets another chance.
fn check_does_not_end_an_ejection(phase: &Phase) -> String {
    let looks = (0..5).map(|_| during_an_ejection(phase));
    let seen = looks.flatten().next();
    seen.map_or("this machine is too busy".into(), |who| {
        format!("after three checks: {who}")
    })
}

fn during_an_ejection(phase: &Phase) -> Option<String> {
    let (a, b) = (Backend::hanging_up(), Backend::naming("b"));
    let proxy = phase
        .proxy()
        .flag("--health-interval", "50ms")
        .flag("--rise", 1)
        .flag("--fall", 1)
        .backend(a.addr())
        .backend(b.addr())
        .start();
    let addr = proxy.addr();

    let start = Instant::now();
    ask_all(addr, 2);
    if ejects(phase) {
        proxy.wait_log(&[&a.addr().to_string(), "is ejected"]);
    }
    a.wait_accepted(a.accepted() + 3);
    let who = who(addr, 6);
    (start.elapsed() < Duration::from_secs(1)).then_some(who)
}

fn ejection_ends_and_doubles(phase: &Phase) -> String {
    let (a, b) = (Backend::hanging_up(), Backend::naming("b"));
    let name = a.addr().to_string();
    let proxy = phase
        .proxy()
        .flag("--fall", 1)
        .backend(a.addr())
        .backend(b.addr())
        .start();

    ask_all(proxy.addr(), 2);
    let first = proxy.finds_log(&[&name, "is ejected for 1s"]);
    let met = a.accepted();
    thread::sleep(Duration::from_millis(1050));
    ask_all(proxy.addr(), 2);
    let again = a.accepted() > met;
    let second = proxy.finds_log(&[&name, "is ejected for 2s"]);

    format!(
        "first {}; then {}; then {}",
        if first { "for 1s" } else { "not for 1s" },
        if again { "tried again" } else { "not tried" },
        if second { "for 2s" } else { "not for 2s" }
    )
}

fn last_backend_is_never_ejected(phase: &Phase) -> String {
    let a = Backend::start(|peer, number| {
        if number >= 4 {
            backend::answer(&peer, "a");
        }
    });
    let proxy = phase.proxy().flag("--fall", 1).backend(a.addr()).start();
    ask_all(proxy.addr(), 6)
}

fn ejects(phase: &Phase) -> bool {
    phase.knows("--attempts")
}
