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
use crate::program::Program;
use crate::record::DEADLINE;

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
        name: "who_cannot_be_tried_gets_no_share",
        says: "Backends that are down leave the whole connect budget to the one that can be tried.",
        run: who_cannot_be_tried_gets_no_share,
        cells: &[
            (1, NotAsked),
            (4, Has("waits for more than half of the budget; closed")),
        ],
    },
    Row {
        name: "hanging_up_is_a_failure",
        says: "A backend that hangs up on everybody is taken out, although its port is open.",
        run: hanging_up_is_a_failure,
        cells: &[
            (1, NotAsked),
            (2, Lacks("5 of 10 served")),
            (4, Has("10 of 10 served")),
        ],
    },
    Row {
        name: "clients_convict_nobody",
        says: "Clients that say nothing, or nonsense, do no harm to a backend that hangs up on them.",
        run: clients_convict_nobody,
        cells: &[(1, NotAsked), (2, Has("a and b; nobody is blamed"))],
    },
    Row {
        name: "half_an_answer_is_no_failure",
        says: "What a backend says is not judged, even if it is one byte and then a reset.",
        run: half_an_answer_is_no_failure,
        cells: &[(1, NotAsked), (2, Has("nobody is blamed"))],
    },
    Row {
        name: "old_sessions_prove_nothing",
        says: "A session that began before a backend died is no success, however well it ends.",
        run: old_sessions_prove_nothing,
        cells: &[(1, NotAsked), (4, Has("ejected"))],
    },
    Row {
        name: "missing_route_blames_nobody",
        says: "If this machine has no way into a network, that is no failure of the backend there.",
        run: missing_route_blames_nobody,
        cells: &[(1, NotAsked), (4, Has("bbbb; nobody is blamed"))],
    },
    Row {
        name: "check_does_not_end_an_ejection",
        says: "Checks that succeed do not bring a backend back that clients could not be connected to.",
        run: check_does_not_end_an_ejection,
        cells: &[
            (1, NotAsked),
            (3, Lacks("when the checks are content: a and b")),
            (4, Has("when the checks are content: b")),
        ],
    },
    Row {
        name: "ejection_ends_and_doubles",
        says: "An ejection ends by itself, and the next one is twice as long.",
        run: ejection_ends_and_doubles,
        cells: &[(1, NotAsked), (4, Has("first for 1s; then for 2s"))],
    },
    Row {
        name: "one_client_tries_after_an_ejection",
        says: "When an ejection is over one client tries, and the others do not wait for what comes of it.",
        run: one_client_tries_after_an_ejection,
        cells: &[
            (1, NotAsked),
            (4, Has("19 of 20 served at once; all in the end")),
        ],
    },
    Row {
        name: "last_backend_is_never_ejected",
        says: "A backend that fails is still better than none.",
        run: last_backend_is_never_ejected,
        cells: &[(1, Has("--aa"))],
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

fn who_cannot_be_tried_gets_no_share(phase: &Phase) -> String {
    let (dead, hole) = ([Door::closed(), Door::closed()], Blackhole::open());
    let proxy = phase
        .proxy()
        .flag("--health-interval", "50ms")
        .flag("--health-timeout", "1h")
        .flag("--fall", 1)
        .flag("--connect-timeout", "2s")
        .backend(dead[0].addr())
        .backend(dead[1].addr())
        .backend(hole.addr())
        .start();
    for door in &dead {
        proxy.wait_log(&[&door.addr().to_string(), "is down"]);
    }

    // A third of the budget is 0.7 s.
    let client = Peer::connect(proxy.addr());
    let waits = match client.end_within(Duration::from_millis(1200)) {
        End::StillOpen => "more",
        _ => "less",
    };
    let end = client.end_within(DEADLINE);
    format!("waits for {waits} than half of the budget; {end}")
}

fn hanging_up_is_a_failure(phase: &Phase) -> String {
    let (a, b) = (Backend::hanging_up(), Backend::naming("b"));
    let proxy = phase
        .proxy()
        .flag("--health-interval", "50ms")
        .flag("--fall", 3)
        .flag("--rise", 1000)
        .backend(a.addr())
        .backend(b.addr())
        .start();

    // Every second one meets the backend that hangs up, and a check follows. If this
    // machine is so busy that the end comes too late for the check, so do the next ones.
    let deadline = Instant::now() + DEADLINE;
    let down = || proxy.count_log(&[&a.addr().to_string(), "is down"]) > 0;
    while ejects(phase) && !down() && Instant::now() < deadline {
        ask_all(proxy.addr(), 2);
        thread::sleep(Duration::from_millis(20));
    }
    served(proxy.addr(), 10)
}

fn clients_convict_nobody(phase: &Phase) -> String {
    let patient = |name| {
        Backend::start(move |peer, _| {
            let (heard, _) = peer.hear_all_within(Duration::from_secs(1));
            if heard == b"?" {
                peer.say(format!("{name}\n"));
                peer.hear_all();
            }
        })
    };
    let (a, b) = (patient("a"), patient("b"));
    let proxy = phase
        .proxy()
        .flag("--fall", 1)
        .backend(a.addr())
        .backend(b.addr())
        .start();

    let clients = [(); 8].map(|()| Peer::connect(proxy.addr()));
    for client in &clients[..4] {
        client.say("nonsense");
    }
    for client in clients {
        client.end_within(DEADLINE);
    }

    // The checks that came of it are over when these are answered.
    let clients = [(); 2].map(|()| Peer::connect(proxy.addr()));
    for client in &clients {
        client.say("?");
    }
    let mut names = clients.map(|client| client.hear_line(DEADLINE).unwrap_or_default());
    names.sort();
    format!("{} and {}; {}", names[0], names[1], blamed(&proxy))
}

fn half_an_answer_is_no_failure(phase: &Phase) -> String {
    let broken = Backend::start(|peer, _| {
        peer.hear(1);
        peer.say("a").hear(1);
        peer.reset();
    });
    let proxy = phase
        .proxy()
        .flag("--fall", 1)
        .backend(broken.addr())
        .start();

    for _ in 0..6 {
        let client = Peer::connect(proxy.addr());
        client.say("?").hear(1);
        client.say("?").end_within(DEADLINE);
    }
    blamed(&proxy).into()
}

fn old_sessions_prove_nothing(phase: &Phase) -> String {
    let (mut a, b) = (Backend::naming("a"), Backend::naming("b"));
    let proxy = phase
        .proxy()
        .flag("--fall", 3)
        .backend(a.addr())
        .backend(b.addr())
        .start();

    let old = [(); 8].map(|()| Peer::connect(proxy.addr()));
    let mut of_a: Vec<_> = old.into_iter().filter(|old| answer(old) == "a").collect();
    a.go_down();

    while let Some(old) = of_a.pop() {
        // Both are refused by it, and served by the other one.
        ask_all(proxy.addr(), 2);
        drop(old);
        a.next();
    }
    match proxy.finds_log(&[&a.addr().to_string(), "is ejected"]) {
        true => "ejected".into(),
        false => "still trusted".into(),
    }
}

fn missing_route_blames_nobody(phase: &Phase) -> String {
    let b = Backend::naming("b");
    let proxy = phase
        .proxy()
        .flag("--fall", 1)
        // A broadcast address: for TCP, no way leads there.
        .backend("127.255.255.255:9")
        .backend(b.addr())
        .start();
    let who = ask_all(proxy.addr(), 4);
    format!("{who}; {}", blamed(&proxy))
}

/// An ejection lasts a second, and whoever looks later sees nothing of it: that is
/// no answer, and the busy machine gets another chance.
fn check_does_not_end_an_ejection(phase: &Phase) -> String {
    let looks = (0..5).map(|_| during_an_ejection(phase));
    let seen = looks.flatten().next();
    seen.map_or("this machine is too busy".into(), |who| {
        format!("when the checks are content: {who}")
    })
}

fn during_an_ejection(phase: &Phase) -> Option<String> {
    let (mut a, b) = (Backend::naming("a"), Backend::naming("b"));
    let name = a.addr().to_string();
    let proxy = phase
        .proxy()
        .flag("--health-interval", "100ms")
        .flag("--rise", 1)
        .flag("--fall", 2)
        .backend(a.addr())
        .backend(b.addr())
        .start();
    let addr = proxy.addr();

    a.go_down();
    let start = Instant::now();
    ask_all(addr, 4);
    proxy.wait_log(&[&name, "is down"]);
    if ejects(phase) && proxy.count_log(&[&name, "is ejected"]) == 0 {
        return None;
    }

    a.come_back();
    proxy.wait_log(&[&name, "is up"]);
    let who = who(addr, 6);
    (start.elapsed() < Duration::from_secs(1)).then_some(who)
}

fn ejection_ends_and_doubles(phase: &Phase) -> String {
    let (dead, b) = (Door::closed(), Backend::naming("b"));
    let name = dead.addr().to_string();
    let proxy = phase
        .proxy()
        .flag("--fall", 1)
        .backend(dead.addr())
        .backend(b.addr())
        .start();

    ask_all(proxy.addr(), 2);
    let first = proxy.finds_log(&[&name, "is ejected for 1s"]);
    thread::sleep(Duration::from_millis(1050));
    ask(proxy.addr());
    let second = proxy.finds_log(&[&name, "is ejected for 2s"]);

    format!(
        "first {}; then {}",
        if first { "for 1s" } else { "not for 1s" },
        if second { "for 2s" } else { "not for 2s" }
    )
}

fn one_client_tries_after_an_ejection(phase: &Phase) -> String {
    let (hole, b) = (Blackhole::open(), Backend::naming("b"));
    let proxy = phase
        .proxy()
        .flag("--fall", 1)
        .flag("--connect-timeout", "4s")
        .backend(hole.addr())
        .backend(b.addr())
        .start();

    // These wait for half of the budget, and so does the one who tries again.
    ask_all(proxy.addr(), 2);
    proxy.wait_log(&[&hole.addr().to_string(), "is ejected for 1s"]);
    thread::sleep(Duration::from_millis(1050));

    let clients = [(); 20].map(|()| Peer::connect(proxy.addr()));
    let start = Instant::now();
    for client in &clients {
        client.say("?");
    }
    let left = || Duration::from_millis(1500).saturating_sub(start.elapsed());
    let (at_once, later): (Vec<_>, Vec<_>) = clients
        .iter()
        .partition(|client| client.hear_line(left()).is_ok());
    let all = later
        .iter()
        .all(|client| client.hear_line(DEADLINE).is_ok());
    format!(
        "{} of 20 served at once; {}",
        at_once.len(),
        if all {
            "all in the end"
        } else {
            "not all in the end"
        }
    )
}

fn last_backend_is_never_ejected(phase: &Phase) -> String {
    let mut a = Backend::down(|peer, _| backend::answer(&peer, "a"));
    let proxy = phase.proxy().flag("--fall", 1).backend(a.addr()).start();

    let down = ask_all(proxy.addr(), 2);
    a.come_back();
    down + &ask_all(proxy.addr(), 2)
}

fn blamed(proxy: &Program) -> &'static str {
    let lines = proxy.count_log(&["is ejected"]) + proxy.count_log(&["is down"]);
    if lines == 0 {
        "nobody is blamed"
    } else {
        "somebody is blamed"
    }
}

fn ejects(phase: &Phase) -> bool {
    phase.knows("--attempts")
}
