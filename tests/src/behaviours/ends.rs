//! How a connection ends, and what the other side hears of it.

use std::io::{Read, Write};
use std::thread;
use std::time::Duration;

use socket2::SockRef;

use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::metrics::settles_at;
use crate::pattern::pattern;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::record::{DEADLINE, QUIET};

pub const ROWS: &[Row] = &[
    Row {
        name: "urgent_byte_holds_nobody_up",
        says: "What stands before and behind an urgent byte arrives, also in the middle of a lot.",
        run: urgent_byte_holds_nobody_up,
        cells: &[
            (1, NotAsked),
            (14, Has("beside a few bytes: all; beside 1 MiB: all")),
        ],
    },
    Row {
        name: "break_is_noticed_while_bytes_wait",
        says: "A side that breaks off is noticed at once, also while the other one does not read, and the other one hears a reset after `--half-close-timeout` at the latest.",
        run: break_is_noticed_while_bytes_wait,
        cells: &[
            (1, NotAsked),
            (
                14,
                Has("the client: CD, then reset; the backend: SD, then reset"),
            ),
        ],
    },
    Row {
        name: "break_after_an_end_is_noticed",
        says: "A side that breaks off after its last byte is noticed while the other one still thinks.",
        run: break_after_an_end_is_noticed,
        cells: &[(1, NotAsked), (14, Has("the client: CD; the backend: SD"))],
    },
    Row {
        name: "cut_is_no_end",
        says: "A connection that the proxy itself ends in the middle of an answer does not look like a clean end.",
        run: cut_is_no_end,
        cells: &[
            (1, NotAsked),
            (
                11,
                Lacks(
                    "idle: half, closed; half-closed: half, closed; drained: half, closed; second signal: half, closed",
                ),
            ),
            (
                14,
                Has(
                    "idle: half, reset; half-closed: half, reset; drained: half, reset; second signal: half, reset",
                ),
            ),
        ],
    },
    Row {
        name: "end_is_heard_after_a_cut",
        says: "A side that was told the other one's end keeps it, and gets every byte before it, also if the connection is cut before it has read them.",
        run: end_is_heard_after_a_cut,
        cells: &[(1, NotAsked), (11, Has("all of it, then closed"))],
    },
    Row {
        name: "last_words_go_on_while_they_move",
        says: "A reader that takes what came before a reset slowly gets all of it, however long that takes.",
        run: last_words_go_on_while_they_move,
        cells: &[(1, NotAsked), (14, Has("all of it, then reset"))],
    },
];

fn urgent_byte_holds_nobody_up(phase: &Phase) -> String {
    let beside = |size: usize| {
        let (proxy, client, server) = phase.proxy().dialogue();
        let (before, behind) = (pattern(size, 8), pattern(size, 9));
        let whole = [before.clone(), behind.clone()].concat();
        let say = || {
            client.say(&before);
            let urgent = SockRef::from(client.stream()).send_out_of_band(b"!");
            urgent.expect("an open socket takes a byte");
            client.say(&behind);
        };

        let heard = thread::scope(|scope| {
            if size < MEBIBYTE {
                // All of it is there before the program looks.
                proxy.hold_still();
                say();
                proxy.go_on();
            } else {
                scope.spawn(say);
            }
            hear_until_quiet(&server, whole.len())
        });
        if heard == whole { "all" } else { "some" }
    };
    format!(
        "beside a few bytes: {}; beside 1 MiB: {}",
        beside(3),
        beside(MEBIBYTE)
    )
}

/// Up to `count` bytes; fewer if nothing more comes.
fn hear_until_quiet(peer: &Peer, count: usize) -> Vec<u8> {
    let mut heard = Vec::new();
    let stream = peer.stream();
    let patience = stream.set_read_timeout(Some(4 * QUIET));
    patience.expect("an open socket takes options");
    let _ = stream.take(count as u64).read_to_end(&mut heard);
    heard
}

fn break_is_noticed_while_bytes_wait(phase: &Phase) -> String {
    let noticed = |cause: &str| {
        let start = phase.proxy().flag("--half-close-timeout", "700ms");
        let (proxy, client, server) = start.dialogue();
        let (speaker, listener) = match cause {
            "CD" => (client, server),
            _ => (server, client),
        };

        say_until_quiet(&speaker);
        speaker.reset();
        if proxy.finds_log(&["access", &format!("cause=\"{cause}\"")]) {
            format!("{cause}, then {}", listener.end_within(DEADLINE))
        } else {
            "not noticed".into()
        }
    };
    format!(
        "the client: {}; the backend: {}",
        noticed("CD"),
        noticed("SD")
    )
}

/// Says more than anybody takes, until nobody has taken any for a while.
fn say_until_quiet(peer: &Peer) {
    let mut stream = peer.stream();
    let patience = stream.set_write_timeout(Some(QUIET));
    patience.expect("an open socket takes options");
    while stream.write(&[0; 64 * 1024]).is_ok() {}
}

fn break_after_an_end_is_noticed(phase: &Phase) -> String {
    let noticed = |cause: &str| {
        let (proxy, client, server) = phase.proxy().dialogue();
        let (speaker, listener) = match cause {
            "CD" => (client, server),
            _ => (server, client),
        };

        speaker.say("bye").finish();
        listener.hear(3);
        thread::sleep(QUIET);
        speaker.reset();
        if proxy.finds_log(&["access", &format!("cause=\"{cause}\"")]) {
            cause.to_owned()
        } else {
            "not noticed".into()
        }
    };
    format!(
        "the client: {}; the backend: {}",
        noticed("CD"),
        noticed("SD")
    )
}

fn cut_is_no_end(phase: &Phase) -> String {
    let half = |flag: &str, limit: &str, finish: bool, signals: usize| {
        let (proxy, client, server) = phase.proxy().flag(flag, limit).dialogue();
        if finish {
            client.finish();
        }
        server.say("half");
        let half = client.hear(4);
        for _ in 0..signals {
            proxy.terminate();
            proxy.wait_log(&["draining"]);
        }
        let (rest, end) = client.hear_all_within(DEADLINE);
        let heard = [half, rest].concat();
        format!("{}, {end}", String::from_utf8_lossy(&heard))
    };
    format!(
        "idle: {}; half-closed: {}; drained: {}; second signal: {}",
        half("--idle-timeout", "300ms", false, 0),
        half("--half-close-timeout", "300ms", true, 0),
        half("--drain-timeout", "300ms", false, 1),
        half("--drain-timeout", "100s", false, 2),
    )
}

fn end_is_heard_after_a_cut(phase: &Phase) -> String {
    /// More than the reader's system takes, and less than that of the proxy.
    const SIZE: usize = 600_000;
    let start = phase.proxy().flag("--metrics", "127.0.0.1:0");
    let (proxy, client, server) = start.flag("--half-close-timeout", "300ms").dialogue();
    let said = pattern(SIZE, 10);
    server.say(&said).finish();
    // The client says nothing for too long, and has not read anything yet.
    settles_at(&proxy, "tcpproxy_connections_active", 0);

    match client.hear_all_within(DEADLINE) {
        (heard, end) if heard == said => format!("all of it, then {end}"),
        (heard, end) => format!("{} of {SIZE}, then {end}", heard.len()),
    }
}

fn last_words_go_on_while_they_move(phase: &Phase) -> String {
    /// More than the reader's system takes, and less than that of the proxy.
    const SIZE: usize = 600_000;
    const SIP: usize = 16_000;
    let start = phase.proxy().flag("--metrics", "127.0.0.1:0");
    let (proxy, client, server) = start.flag("--half-close-timeout", "2s").dialogue();
    let said = pattern(SIZE, 11);
    server.say(&said);
    let series = "tcpproxy_bytes_total{direction=\"backend_to_client\"}";
    settles_at(&proxy, series, SIZE);
    server.reset();

    let mut heard = Vec::new();
    while heard.len() + SIP < SIZE {
        let sip = client.hear(SIP);
        if sip.len() < SIP {
            break;
        }
        heard.extend(sip);
        thread::sleep(Duration::from_millis(80));
    }
    let (rest, end) = client.hear_all_within(DEADLINE);
    heard.extend(rest);
    match heard.len() {
        _ if heard == said => format!("all of it, then {end}"),
        count => format!("{count} of {SIZE}, then {end}"),
    }
}

const MEBIBYTE: usize = 1024 * 1024;
