//! What goes on between the signal and the end.

use std::thread;
use std::time::{Duration, Instant};

use crate::backend::Backend;
use crate::behaviours::names::{answer, routed};
use crate::client;
use crate::hello::hello;
use crate::matrix::Cell::{Flaw, Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::metrics::{Page, settles_at};
use crate::peer::Peer;
use crate::phase::Phase;
use crate::program::Program;
use crate::record::QUIET;

pub const ROWS: &[Row] = &[
    Row {
        name: "transfer_is_finished",
        says: "A transfer that is under way when the signal comes is finished, in both directions.",
        run: transfer_is_finished,
        cells: &[
            (
                1,
                Lacks("SIGTERM: cut, no exit code; SIGINT: cut, no exit code"),
            ),
            (
                11,
                Has("SIGTERM: complete, exit code 0; SIGINT: complete, exit code 0"),
            ),
        ],
    },
    Row {
        name: "drain_says_how_many",
        says: "The log tells how many connections are waited for.",
        run: drain_says_how_many,
        cells: &[
            (1, Lacks("seven are open: draining nobody")),
            (11, Has("seven are open: draining 7")),
        ],
    },
    Row {
        name: "cut_connections_are_told",
        says: "A connection that is cut at the deadline leaves its line: killed while passing bytes on, or while connecting.",
        run: cut_connections_are_told,
        cells: &[
            (1, NotAsked),
            (11, Has("at the deadline: 3; KD: 2, KC: 1; exit code 0")),
        ],
    },
    Row {
        name: "client_is_still_identified",
        says: "A client that was about to say its name is still led by it, and one that leaves instead is not waited for.",
        run: client_is_still_identified,
        cells: &[(1, NotAsked), (11, Has("it is led to a; exit code 0"))],
    },
    Row {
        name: "metrics_while_draining",
        says: "The metrics can be read until the end, and tell that it is near.",
        run: metrics_while_draining,
        cells: &[
            (1, NotAsked),
            (
                11,
                Has("before: 0 draining, 1 active; then: 1 draining, 1 active; exit code 0"),
            ),
        ],
    },
    Row {
        name: "closed_connections_are_forgotten",
        says: "The memory of a connection ends with it: 200 that have come and gone are not waited for.",
        run: closed_connections_are_forgotten,
        cells: &[
            (1, NotAsked),
            (11, Flaw("joinset-leak", "draining 200")),
            (12, Has("draining 0")),
        ],
    },
];

fn transfer_is_finished(phase: &Phase) -> String {
    let signals = [
        ("SIGTERM", Program::terminate as fn(&Program)),
        ("SIGINT", Program::interrupt),
    ];
    let ends = signals.map(|(name, signal)| {
        let (mut proxy, client, server) = phase.proxy().dialogue();
        client.say("half");
        server.hear(4);
        signal(&proxy);
        if phase.knows("--drain-timeout") {
            proxy.wait_log(&["draining"]);
        } else {
            proxy.wait_exit();
        }

        let rest = vec![b'x'; 1 << 20];
        let complete = thread::scope(|scope| {
            scope.spawn(|| client.say(&rest).finish());
            scope.spawn(|| server.say(&rest).finish());
            let heard = scope.spawn(|| server.hear_all().0);
            client.hear_all().0 == rest && heard.join().expect("listening does not fail") == rest
        });
        let complete = if complete { "complete" } else { "cut" };
        format!("{name}: {complete}, {}", exit(&mut proxy))
    });
    ends.join("; ")
}

fn drain_says_how_many(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase.proxy().backend(backend.addr()).start();
    let clients: Vec<_> = (0..7).map(|_| Peer::connect(proxy.addr())).collect();
    clients.iter().for_each(|peer| drop(client::answer(peer)));
    proxy.terminate();
    format!(
        "seven are open: draining {}",
        number_in(&proxy, "draining ")
    )
}

fn cut_connections_are_told(phase: &Phase) -> String {
    let backend = Backend::silent();
    let mut proxy = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        .flag("--drain-timeout", "300ms")
        .repeat("--sni", format_args!("a.example.com={}", backend.addr()))
        .flag("--sni-peek-timeout", "100s")
        .start();

    // Two that are served, and one that has not said yet where it wants to go.
    let clients = [(); 3].map(|()| Peer::connect(proxy.addr()));
    for client in &clients[..2] {
        client.say(hello("a.example.com"));
    }
    backend.wait_accepted(2);
    settles_at(&proxy, "tcpproxy_connections_active", 3);

    let start = Instant::now();
    proxy.terminate();
    let code = exit(&mut proxy);
    let in_time = start.elapsed() >= Duration::from_millis(300);
    let lines = |part: &str| proxy.count_log(&["access", part]);
    format!(
        "{} the deadline: {}; KD: {}, KC: {}; {code}",
        if in_time { "at" } else { "before" },
        number_in(&proxy, "cut "),
        lines("cause=\"KD\""),
        lines("cause=\"KC\"")
    )
}

fn client_is_still_identified(phase: &Phase) -> String {
    let (mut proxy, _backends) = routed(phase, "100s");
    let (stays, leaves) = (Peer::connect(proxy.addr()), Peer::connect(proxy.addr()));
    let hello = hello("a.example.com");
    stays.say(&hello[..60]);
    settles_at(&proxy, "tcpproxy_connections_active", 2);

    proxy.terminate();
    proxy.wait_log(&["draining"]);
    leaves.finish();
    let name = answer(stays.say(&hello[60..]));
    drop(stays);
    format!("it is led to {name}; {}", exit(&mut proxy))
}

fn metrics_while_draining(phase: &Phase) -> String {
    let (mut proxy, client, server) = phase.proxy().flag("--metrics", "127.0.0.1:0").dialogue();
    let told = |page: &Page| {
        let [draining, active] =
            ["draining", "connections_active"].map(|name| page.value(&format!("tcpproxy_{name}")));
        format!("{draining} draining, {active} active")
    };

    let before = told(&Page::read(&proxy));
    proxy.terminate();
    settles_at(&proxy, "tcpproxy_draining", 1);
    let then = told(&Page::read(&proxy));
    client.finish();
    server.finish();
    format!("before: {before}; then: {then}; {}", exit(&mut proxy))
}

fn closed_connections_are_forgotten(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        .backend(backend.addr())
        .start();
    client::ask_all(proxy.addr(), 200);
    settles_at(&proxy, "tcpproxy_connections_active", 0);
    // The last of them is counted out an instant before its task is over.
    thread::sleep(QUIET);

    proxy.terminate();
    format!("draining {}", number_in(&proxy, "draining "))
}

/// The number that follows `words` in the log.
fn number_in(proxy: &Program, words: &str) -> String {
    let line = proxy
        .find_log(&[words, "connection(s)"])
        .unwrap_or_default();
    let number = line
        .split(words)
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    number.unwrap_or("nobody").into()
}

fn exit(proxy: &mut Program) -> String {
    let code = proxy.wait_exit().code();
    code.map_or("no exit code".into(), |code| format!("exit code {code}"))
}
