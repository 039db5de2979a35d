//! What one client may take from the others.

use std::net::{IpAddr, Ipv4Addr};
use std::thread;
use std::time::{Duration, Instant};

use crate::backend::Backend;
use crate::client::{answer, ask_until};
use crate::matrix::Cell::{Has, Lacks};
use crate::matrix::Row;
use crate::peer::{End, Peer};
use crate::phase::Phase;
use crate::program::Program;

pub const ROWS: &[Row] = &[
    Row {
        name: "one_client_too_many",
        says: "The client over `--max-connections` is closed at once, and a place that becomes free is used again.",
        run: one_client_too_many,
        cells: &[
            (
                1,
                Lacks("three served; the fourth: a; after one has left: a"),
            ),
            (6, Has("three served; the fourth: -; after one has left: a")),
        ],
    },
    Row {
        name: "burst_of_one_address",
        says: "An address gets `--rate-burst` connections at once and then `--rate-limit`, whatever others do.",
        run: burst_of_one_address,
        cells: &[
            (1, Lacks("aaaaaa; another address: a; after a second: aa")),
            (6, Has("aaaaa-; another address: a; after a second: a-")),
        ],
    },
    Row {
        name: "idle_connection_is_closed",
        says: "A connection without a byte in either direction is closed after `--idle-timeout`; a byte in one direction is enough to keep it.",
        run: idle_connection_is_closed,
        cells: &[
            (
                1,
                Lacks("silent: kept; client sends: kept; backend sends: kept"),
            ),
            (
                6,
                Has("silent: cut; client sends: kept; backend sends: kept"),
            ),
        ],
    },
    Row {
        name: "half_closed_connection_is_closed",
        says: "When one side has ended, the other has `--half-close-timeout` to end too, counted from its last byte.",
        run: half_closed_connection_is_closed,
        cells: &[
            (
                1,
                Lacks("silent: kept; still sending: kept; both open: kept"),
            ),
            (6, Has("silent: cut; still sending: kept; both open: kept")),
        ],
    },
];

fn one_client_too_many(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase
        .proxy()
        .flag("--max-connections", 3)
        .backend(backend.addr())
        .start();

    let mut clients: Vec<_> = (0..3).map(|_| Peer::connect(proxy.addr())).collect();
    let all_served = clients.iter().all(|client| answer(client) == "a");
    let fourth = answer(&Peer::connect(proxy.addr()));
    clients.pop();
    let freed = ask_until(proxy.addr(), Duration::from_secs(3), "a");
    format!(
        "{} served; the fourth: {fourth}; after one has left: {}",
        if all_served {
            "three"
        } else {
            "fewer than three"
        },
        if freed { "a" } else { "-" }
    )
}

fn burst_of_one_address(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase
        .proxy()
        .flag("--rate-limit", "1/s")
        .flag("--rate-burst", 5)
        .backend(backend.addr())
        .start();
    // All connect before anybody is heard: on a busy machine an answer takes its time,
    // and time brings new tokens. Who of them is served is a matter of chance.
    let ask = |last: u8, count: usize| {
        let source = IpAddr::V4(Ipv4Addr::new(127, 0, 0, last));
        let clients: Vec<_> = (0..count)
            .map(|_| Peer::connect_from(source, proxy.addr()))
            .collect();
        let mut names: Vec<_> = clients.iter().map(answer).collect();
        names.sort_by(|a, b| b.cmp(a));
        names.concat()
    };

    // After two seconds there are two tokens: then it was too late to count, and
    // another address gets another chance.
    for (one, another) in [(1, 2), (3, 4), (5, 6), (7, 8)] {
        let start = Instant::now();
        let burst = ask(one, 6);
        let other = ask(another, 1);
        thread::sleep(Duration::from_millis(1050));
        let later = ask(one, 2);
        if start.elapsed() < Duration::from_secs(2) {
            return format!("{burst}; another address: {other}; after a second: {later}");
        }
    }
    "this machine is too busy".into()
}

fn idle_connection_is_closed(phase: &Phase) -> String {
    let (_proxy, since, [up, down, silent]) = three(phase, "--idle-timeout");
    let (silent, up, down) = thread::scope(|scope| {
        let up = scope.spawn(|| trickle(&up.0, &up.1));
        let down = scope.spawn(|| trickle(&down.1, &down.0));
        (fate(&silent.0, since), join(up), join(down))
    });
    format!("silent: {silent}; client sends: {up}; backend sends: {down}")
}

fn half_closed_connection_is_closed(phase: &Phase) -> String {
    let (_proxy, since, [sending, open, silent]) = three(phase, "--half-close-timeout");
    silent.0.finish();
    sending.0.finish();

    let (silent, sending, open) = thread::scope(|scope| {
        let sending = scope.spawn(|| trickle(&sending.1, &sending.0));
        let open = scope.spawn(|| fate(&open.0, since));
        (fate(&silent.0, since), join(sending), join(open))
    });
    format!("silent: {silent}; still sending: {sending}; both open: {open}")
}

/// Three connections under a limit, each with both of its ends, and when the last one
/// began. They share a proxy: on a busy machine the first would be too old when a
/// second proxy has started.
fn three(phase: &Phase, limit: &str) -> (Program, Instant, [(Peer, Peer); 3]) {
    let backend = Backend::meeting();
    let proxy = phase
        .proxy()
        .flag(limit, format_args!("{}ms", LIMIT.as_millis()))
        .backend(backend.addr())
        .start();
    let addr = proxy.addr();

    let mut since = Instant::now();
    let connections = [(); 3].map(|()| {
        since = Instant::now();
        (Peer::connect(addr), backend.next())
    });
    (proxy, since, connections)
}

/// What becomes of a connection on which nothing has happened since `since` or a
/// little later.
fn fate(peer: &Peer, since: Instant) -> &'static str {
    match peer.end_within(2 * LIMIT) {
        End::StillOpen => "kept",
        _ if since.elapsed() >= LIMIT - ROUGHLY => "cut",
        _ => "cut too soon",
    }
}

/// What becomes of a connection on which one side goes on sending.
fn trickle(from: &Peer, to: &Peer) -> &'static str {
    let start = Instant::now();
    while start.elapsed() < 2 * LIMIT {
        from.say(".");
        if to.hear(1) != b"." {
            return "cut";
        }
        thread::sleep(LIMIT / 8);
    }
    "kept"
}

fn join(thread: thread::ScopedJoinHandle<'_, &'static str>) -> &'static str {
    thread.join().expect("watching a connection does not fail")
}

/// Silence that is too long. What sends does so eight times as often, and what is kept
/// is watched twice as long.
const LIMIT: Duration = Duration::from_millis(900);

/// A clock that counts in milliseconds may ring that much too soon.
const ROUGHLY: Duration = Duration::from_millis(5);
