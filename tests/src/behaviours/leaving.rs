//! The end of the program.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::backend::Backend;
use crate::client::{answer, ask_all};
use crate::matrix::Cell::{Flaw, Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::metrics::settles_at;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::program::Program;
use crate::record::{DEADLINE, QUIET};

pub const ROWS: &[Row] = &[
    Row {
        name: "last_client_may_finish",
        says: "After SIGTERM new clients are refused, and the one that is there may finish.",
        run: last_client_may_finish,
        cells: &[
            (
                1,
                Lacks("a newcomer is refused; the client hears nothing; killed by the signal"),
            ),
            (
                11,
                Has("a newcomer is refused; the client hears DONE; exit code 0"),
            ),
        ],
    },
    Row {
        name: "drain_has_a_deadline",
        says: "At the deadline those that are left are cut, and the log tells how many.",
        run: drain_has_a_deadline,
        cells: &[
            (1, NotAsked),
            (11, Has("after the deadline; cut 2; exit code 0")),
        ],
    },
    Row {
        name: "second_signal_ends_at_once",
        says: "A second signal ends the program without waiting, with a code that says so.",
        run: second_signal_ends_at_once,
        cells: &[(1, NotAsked), (11, Has("at once; exit code 1"))],
    },
    Row {
        name: "nothing_to_wait_for",
        says: "Without a client a signal ends the program at once, and that is a clean end, whichever signal it is.",
        run: nothing_to_wait_for,
        cells: &[
            (
                1,
                Lacks(
                    "SIGTERM: at once, killed by the signal; SIGINT: at once, killed by the signal; SIGQUIT: at once, killed by the signal",
                ),
            ),
            (
                11,
                Has(
                    "SIGTERM: at once, exit code 0; SIGINT: at once, exit code 0; SIGQUIT: at once, exit code 0",
                ),
            ),
        ],
    },
    Row {
        name: "signals_that_mean_nothing",
        says: "SIGHUP, SIGUSR1 and SIGUSR2 end nothing; each has a line in the log.",
        run: signals_that_mean_nothing,
        cells: &[
            (1, Lacks("SIGHUP: silence; the client hears nothing")),
            (
                11,
                Has("SIGHUP, SIGUSR1, SIGUSR2: a line; the client hears DONE"),
            ),
        ],
    },
    Row {
        name: "drain_counts_who_is_there",
        says: "Clients that have gone are not waited for, and not counted.",
        run: drain_counts_who_is_there,
        cells: &[
            (1, NotAsked),
            (
                11,
                Flaw("joinset-leak", "50 clients have gone; draining 51"),
            ),
            (12, Has("50 clients have gone; draining 1")),
        ],
    },
];

fn last_client_may_finish(phase: &Phase) -> String {
    let (mut proxy, client, server) = phase.proxy().flag("--drain-timeout", "100s").dialogue();
    let addr = proxy.addr();
    client.say("Q");
    server.hear(1);

    proxy.terminate();
    let newcomer = newcomer(addr);
    // Long enough for a program that does not wait to be gone.
    thread::sleep(QUIET);
    server.say("DONE").finish();
    client.finish();
    let heard = match &client.hear_all().0[..] {
        [] => "nothing".into(),
        heard => String::from_utf8_lossy(heard).into_owned(),
    };
    format!(
        "a newcomer is {newcomer}; the client hears {heard}; {}",
        exit(&mut proxy)
    )
}

/// Clients are accepted until the program has got the signal and closed the listener.
fn newcomer(addr: SocketAddr) -> &'static str {
    let deadline = Instant::now() + DEADLINE;
    while Instant::now() < deadline {
        match TcpStream::connect_timeout(&addr, QUIET) {
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => return "refused",
            _ => (),
        }
        thread::sleep(Duration::from_millis(10));
    }
    "accepted"
}

fn drain_has_a_deadline(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let mut proxy = phase
        .proxy()
        .flag("--drain-timeout", "600ms")
        .backend(backend.addr())
        .start();
    let clients = [Peer::connect(proxy.addr()), Peer::connect(proxy.addr())];
    clients.iter().for_each(|client| drop(answer(client)));

    let start = Instant::now();
    proxy.terminate();
    let code = exit(&mut proxy);
    let waited = start.elapsed() >= Duration::from_millis(600);
    let cut = proxy.finds_log(&["drain deadline: cut 2 connection(s)"]);
    format!(
        "{}; {}; {code}",
        if waited {
            "after the deadline"
        } else {
            "too soon"
        },
        if cut { "cut 2" } else { "no word of a cut" }
    )
}

fn second_signal_ends_at_once(phase: &Phase) -> String {
    let (mut proxy, _client, _server) = phase.proxy().flag("--drain-timeout", "100s").dialogue();
    proxy.terminate();
    proxy.wait_log(&["draining"]);

    let start = Instant::now();
    proxy.interrupt();
    let code = exit(&mut proxy);
    format!("{}; {code}", pace(start))
}

fn nothing_to_wait_for(phase: &Phase) -> String {
    let ends = [
        ("SIGTERM", Program::terminate as fn(&Program)),
        ("SIGINT", Program::interrupt),
        ("SIGQUIT", |program| program.signal(Signal::QUIT)),
    ]
    .map(|(name, signal)| {
        let backend = Backend::naming("a");
        // Connections that wait for clients are nothing to wait for.
        let mut proxy = phase
            .proxy()
            .flag("--pool-size", 2)
            .flag("--drain-timeout", "100s")
            .backend(backend.addr())
            .start();
        proxy.addr();
        let start = Instant::now();
        signal(&proxy);
        let code = exit(&mut proxy);
        format!("{name}: {}, {code}", pace(start))
    });
    ends.join("; ")
}

fn signals_that_mean_nothing(phase: &Phase) -> String {
    let (proxy, client, server) = phase.proxy().dialogue();
    let signals = [
        ("SIGHUP", Signal::HUP),
        ("SIGUSR1", Signal::USR1),
        ("SIGUSR2", Signal::USR2),
    ];
    let mut sent = Vec::new();
    let told = signals.iter().all(|&(name, signal)| {
        sent.push(name);
        proxy.signal(signal);
        proxy.finds_log(&[name])
    });

    server.say("DONE").finish();
    let heard = String::from_utf8_lossy(&client.hear(4)).into_owned();
    format!(
        "{}: {}; the client hears {}",
        sent.join(", "),
        if told { "a line" } else { "silence" },
        if heard.is_empty() { "nothing" } else { &heard },
    )
}

fn drain_counts_who_is_there(phase: &Phase) -> String {
    const GONE: usize = 50;
    let backend = Backend::naming("a");
    let proxy = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        .backend(backend.addr())
        .start();
    ask_all(proxy.addr(), GONE);
    let last = Peer::connect(proxy.addr());
    answer(&last);
    settles_at(&proxy, "tcpproxy_connections_active", 1);
    // The others are counted out an instant before their tasks are over.
    thread::sleep(QUIET);

    proxy.terminate();
    let line = proxy.wait_log(&["draining", "in-flight connection(s)"]);
    let count = line
        .split("draining ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    format!(
        "{GONE} clients have gone; draining {}",
        count.unwrap_or("none")
    )
}

fn exit(proxy: &mut Program) -> String {
    let code = proxy.wait_exit().code();
    code.map_or("killed by the signal".into(), |code| {
        format!("exit code {code}")
    })
}

/// A tenth of a second is what it should take; the rest is for a busy machine.
fn pace(start: Instant) -> &'static str {
    if start.elapsed() < Duration::from_secs(1) {
        "at once"
    } else {
        "late"
    }
}
