//! Bytes and ends, passed on both ways.

use std::thread;

use crate::backend::{self, Backend};
use crate::client::{answer, ask};
use crate::matrix::Cell::{Has, Lacks};
use crate::matrix::Row;
use crate::pattern::{MEBIBYTE, pattern};
use crate::peer::Peer;
use crate::phase::Phase;
use crate::record::{DEADLINE, QUIET};

mod flow;

pub const ROWS: &[Row] = &[
    Row {
        name: "forwards_every_byte",
        says: "One byte and one mebibyte arrive unchanged, in both directions at once.",
        run: forwards_every_byte,
        cells: &[(1, Has("1 byte: unchanged; 1 MiB: unchanged"))],
    },
    Row {
        name: "serves_many_at_once",
        says: "A hundred clients are served at the same time.",
        run: serves_many_at_once,
        cells: &[(1, Has("100 of 100 served"))],
    },
    Row {
        name: "second_client_does_not_wait",
        says: "A client whose backend is silent holds nobody else up.",
        run: second_client_does_not_wait,
        cells: &[(1, Has("the second client: a"))],
    },
    Row {
        name: "reply_after_client_fin",
        says: "A client that has sent its last byte still gets the answer.",
        run: reply_after_client_fin,
        cells: &[(1, Has("the backend hears Q, then the client hears REPLY"))],
    },
    Row {
        name: "client_goes_on_after_backend_fin",
        says: "A backend that has sent its last byte still gets what the client sends.",
        run: client_goes_on_after_backend_fin,
        cells: &[(
            1,
            Has("the client hears HELLO, then the backend hears 1 MiB"),
        )],
    },
    Row {
        name: "fin_before_any_byte",
        says: "An end before the first byte is passed on like any other.",
        run: fin_before_any_byte,
        cells: &[(
            1,
            Has("the backend hears closed, then the client hears BYE"),
        )],
    },
    Row {
        name: "banner_is_delivered",
        says: "A backend that speaks first is heard by a client that says nothing.",
        run: banner_is_delivered,
        cells: &[(1, Has("220 hi, 220 hi, 220 hi, 220 hi"))],
    },
    Row {
        name: "small_messages_go_at_once",
        says: "A small message does not wait until the one before is acknowledged.",
        run: flow::small_messages_go_at_once,
        cells: &[(1, Has("to the backend: at once; to the client: at once"))],
    },
    Row {
        name: "slow_reader_holds_the_backend_up",
        says: "A backend can send no more than fits into the buffers while the client does not read.",
        run: flow::slow_reader_holds_the_backend_up,
        cells: &[(1, Has("the backend has to wait; every byte arrives"))],
    },
    Row {
        name: "reset_is_passed_on",
        says: "A connection that one side breaks off does not look like a clean end to the other.",
        run: reset_is_passed_on,
        cells: &[
            (
                1,
                Lacks("the client hears half, then closed; the backend hears half, then closed"),
            ),
            (
                14,
                Has("the client hears half, then reset; the backend hears half, then reset"),
            ),
        ],
    },
];

fn forwards_every_byte(phase: &Phase) -> String {
    let one = both_ways(phase, 1);
    let many = both_ways(phase, MEBIBYTE);
    format!("1 byte: {one}; 1 MiB: {many}")
}

fn both_ways(phase: &Phase, size: usize) -> &'static str {
    let (_proxy, client, server) = phase.proxy().dialogue();
    let (request, reply) = (pattern(size, 1), pattern(size, 2));

    // Everyone speaks and listens at the same time. Whoever does one after the
    // other blocks as soon as the buffers between are full.
    let unchanged = thread::scope(|scope| {
        scope.spawn(|| client.say(&request).finish());
        scope.spawn(|| server.say(&reply).finish());
        let heard = scope.spawn(|| server.hear_all().0);
        client.hear_all().0 == reply && heard.join().expect("listening does not fail") == request
    });
    if unchanged { "unchanged" } else { "changed" }
}

fn serves_many_at_once(phase: &Phase) -> String {
    const CLIENTS: usize = 100;
    let backend = Backend::naming("a");
    let proxy = phase.proxy().backend(backend.addr()).start();

    let clients: Vec<_> = (0..CLIENTS).map(|_| Peer::connect(proxy.addr())).collect();
    backend.wait_accepted(CLIENTS);
    let served = clients.iter().filter(|client| answer(client) == "a");
    format!("{} of {CLIENTS} served", served.count())
}

fn second_client_does_not_wait(phase: &Phase) -> String {
    let backend = Backend::start(|peer, number| match number {
        0 => drop(peer.hear_all()),
        _ => backend::answer(&peer, "a"),
    });
    let proxy = phase.proxy().backend(backend.addr()).start();

    let first = Peer::connect(proxy.addr());
    first.say("is anybody there?");
    backend.wait_accepted(1);
    format!("the second client: {}", ask(proxy.addr()))
}

fn reply_after_client_fin(phase: &Phase) -> String {
    let (_proxy, client, server) = phase.proxy().dialogue();

    client.say("Q").finish();
    let request = server.hear_all().0;
    // Long enough for a proxy that gives up to do so.
    thread::sleep(QUIET);
    server.say("REPLY").finish();
    let reply = client.hear_all().0;

    format!(
        "the backend hears {}, then the client hears {}",
        text(&request),
        text(&reply)
    )
}

fn client_goes_on_after_backend_fin(phase: &Phase) -> String {
    let (_proxy, client, server) = phase.proxy().dialogue();

    server.say("HELLO").finish();
    let hello = client.hear_all().0;
    let upload = pattern(MEBIBYTE, 3);
    let arrived = thread::scope(|scope| {
        scope.spawn(|| client.say(&upload).finish());
        server.hear_all().0 == upload
    });

    format!(
        "the client hears {}, then the backend hears {}",
        text(&hello),
        if arrived { "1 MiB" } else { "something else" }
    )
}

fn fin_before_any_byte(phase: &Phase) -> String {
    let (_proxy, client, server) = phase.proxy().dialogue();

    client.finish();
    let (request, end) = server.hear_all();
    server.say("BYE").finish();
    let (reply, _) = client.hear_all();

    format!(
        "the backend hears {}{end}, then the client hears {}",
        text(&request),
        text(&reply)
    )
}

fn banner_is_delivered(phase: &Phase) -> String {
    let backend = Backend::start(|peer, _| {
        peer.say("220 hi\n");
        peer.hear_all();
    });
    // From phase 05 on the banner waits in a pooled connection.
    let proxy = phase
        .proxy()
        .backend(backend.addr())
        .flag("--pool-size", 2)
        .start();
    backend.settled();

    let banners: Vec<_> = (0..4)
        .map(|_| {
            Peer::connect(proxy.addr())
                .hear_line(DEADLINE)
                .unwrap_or_else(|end| end.to_string())
        })
        .collect();
    banners.join(", ")
}

fn reset_is_passed_on(phase: &Phase) -> String {
    let (_proxy, client, server) = phase.proxy().dialogue();
    server.say("half");
    let half = client.hear(4);
    server.reset();
    let end = client.end_within(DEADLINE);
    let from_backend = format!("the client hears {}, then {end}", text(&half));

    let (_proxy, client, server) = phase.proxy().dialogue();
    client.say("half");
    let half = server.hear(4);
    client.reset();
    let end = server.end_within(DEADLINE);
    format!(
        "{from_backend}; the backend hears {}, then {end}",
        text(&half)
    )
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
