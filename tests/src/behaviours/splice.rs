//! What a connection holds, and how large messages pass.

use std::io::Write;
use std::thread;

use crate::backend::Backend;
use crate::client::answer;
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::metrics::settles_at;
use crate::pattern::{MEBIBYTE, pattern};
use crate::peer::{End, Peer};
use crate::phase::Phase;
use crate::record::{DEADLINE, QUIET};

pub const ROWS: &[Row] = &[
    Row {
        name: "idle_connections_hold_no_buffer",
        says: "A connection over which one message has passed takes less than 8 KiB of the program's memory.",
        run: idle_connections_hold_no_buffer,
        cells: &[
            (1, Lacks("more than 8 KiB for each")),
            (14, Has("less than 8 KiB for each")),
        ],
    },
    Row {
        name: "large_messages_go_through_a_pipe",
        says: "The program opens a pipe for what comes in large amounts, unless it may not: then the bytes need not pass through its memory.",
        run: large_messages_go_through_a_pipe,
        cells: &[
            (1, Lacks("1 byte: no pipe; 1 MiB: no pipe; off: no pipe")),
            (14, Has("1 byte: no pipe; 1 MiB: a pipe; off: no pipe")),
        ],
    },
    Row {
        name: "slow_readers_hold_no_pipe",
        says: "A client that does not read what comes in large amounts holds no pipe.",
        run: slow_readers_hold_no_pipe,
        cells: &[(1, Has("no pipe of its own"))],
    },
    Row {
        name: "large_messages_without_a_descriptor",
        says: "Where no descriptor is left for a pipe, large messages pass as well.",
        run: large_messages_without_a_descriptor,
        cells: &[(1, Has("unchanged"))],
    },
    Row {
        name: "reset_waits_for_the_bytes",
        says: "What was sent before a reset arrives before it, also where the reader is slow.",
        run: reset_waits_for_the_bytes,
        cells: &[
            (1, NotAsked),
            (
                14,
                Has("to the client: all of it, then reset; to the backend: all of it, then reset"),
            ),
        ],
    },
];

fn idle_connections_hold_no_buffer(phase: &Phase) -> String {
    const CLIENTS: usize = 300;
    let backend = Backend::naming("a");
    let proxy = phase.proxy().backend(backend.addr()).start();
    // The first ones pay for what all others share.
    let first: Vec<_> = (0..20).map(|_| Peer::connect(proxy.addr())).collect();
    first.iter().for_each(|client| drop(answer(client)));

    let before = proxy.memory();
    let clients: Vec<_> = (0..CLIENTS).map(|_| Peer::connect(proxy.addr())).collect();
    let served = clients.iter().filter(|client| answer(client) == "a");
    if served.count() < CLIENTS {
        return "not all are served".into();
    }
    let each = proxy.memory().saturating_sub(before) / CLIENTS;

    let less = if each < 8 * 1024 { "less" } else { "more" };
    format!("{less} than 8 KiB for each")
}

fn large_messages_go_through_a_pipe(phase: &Phase) -> String {
    let pipes = |size: usize, splice: &str| {
        let (proxy, client, server) = phase.proxy().flag("--splice", splice).dialogue();
        let before = proxy.pipes();
        thread::scope(|scope| {
            scope.spawn(|| server.say(vec![0; size]).finish());
            client.hear_all();
        });
        if proxy.pipes() > before {
            "a pipe"
        } else {
            "no pipe"
        }
    };
    format!(
        "1 byte: {}; 1 MiB: {}; off: {}",
        pipes(1, "auto"),
        pipes(MEBIBYTE, "auto"),
        pipes(MEBIBYTE, "off")
    )
}

fn slow_readers_hold_no_pipe(phase: &Phase) -> String {
    const CLIENTS: usize = 20;
    /// One pipe for each of two workers.
    const SHARED: usize = 4;
    // Says more than anybody takes, until nobody has taken any for a while.
    let backend = Backend::start(|peer, _| {
        let mut stream = peer.stream();
        stream
            .set_write_timeout(Some(QUIET))
            .expect("an open socket takes options");
        while stream.write(&[0; 64 * 1024]).is_ok() {}
        peer
    });
    let proxy = phase.proxy().backend(backend.addr()).start();
    proxy.addr();

    // The program may still be opening what is its own; no more pipes and no connections.
    let before = proxy.pipes();
    let _clients: Vec<_> = (0..CLIENTS).map(|_| Peer::connect(proxy.addr())).collect();
    let _servers: Vec<_> = (0..CLIENTS).map(|_| backend.next()).collect();
    let more = proxy.pipes() - before;

    if more <= SHARED {
        "no pipe of its own".into()
    } else {
        format!("{more} ends of pipes for {CLIENTS}")
    }
}

fn large_messages_without_a_descriptor(phase: &Phase) -> String {
    let (proxy, client, server) = phase.proxy().dialogue();
    proxy.open_no_more();

    let (request, reply) = (pattern(MEBIBYTE, 5), pattern(MEBIBYTE, 6));
    let unchanged = thread::scope(|scope| {
        scope.spawn(|| client.say(&request).finish());
        scope.spawn(|| server.say(&reply).finish());
        let heard = scope.spawn(|| server.hear_all().0);
        client.hear_all().0 == reply && heard.join().expect("listening does not fail") == request
    });
    if unchanged { "unchanged" } else { "changed" }.into()
}

fn reset_waits_for_the_bytes(phase: &Phase) -> String {
    /// More than the reader's system takes, and less than that of the proxy.
    const SIZE: usize = 600_000;
    let last_words = |direction: &str| {
        let start = phase.proxy().flag("--metrics", "127.0.0.1:0");
        let (proxy, client, server) = start.dialogue();
        let (speaker, listener) = match direction {
            "backend_to_client" => (server, client),
            _ => (client, server),
        };

        let said = pattern(SIZE, 7);
        speaker.say(&said);
        let series = format!("tcpproxy_bytes_total{{direction=\"{direction}\"}}");
        let received = settles_at(&proxy, &series, SIZE);
        speaker.reset();
        // The log tells that the reset has come, or the proxy waits with it.
        thread::sleep(QUIET);

        match listener.hear_all_within(DEADLINE) {
            _ if received != SIZE.to_string() => format!("the proxy took {received}"),
            (heard, end @ End::Reset) if heard == said => format!("all of it, then {end}"),
            (heard, end) => format!("{} of {SIZE}, then {end}", heard.len()),
        }
    };
    format!(
        "to the client: {}; to the backend: {}",
        last_words("backend_to_client"),
        last_words("client_to_backend")
    )
}
