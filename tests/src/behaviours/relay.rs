//! Bytes and ends, passed on both ways.

use std::thread;
use std::time::Duration;

use crate::backend::Backend;
use crate::matrix::Cell::Has;
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::Phase;

/// In the order in which a reader meets them.
pub const ROWS: &[Row] = &[
    Row {
        name: "forwards_every_byte",
        says: "One byte and one mebibyte arrive unchanged, in both directions at once.",
        run: forwards_every_byte,
        cells: &[(1, Has("1 byte: unchanged; 1 MiB: unchanged"))],
    },
    Row {
        name: "serves_many_at_once",
        says: "A hundred clients have a dialogue at the same time.",
        run: serves_many_at_once,
        cells: &[(1, Has("100 of 100 heard"))],
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
];

fn forwards_every_byte(phase: &Phase) -> String {
    let one = both_ways(phase, 1);
    let many = both_ways(phase, MEBIBYTE);
    format!("1 byte: {one}; 1 MiB: {many}")
}

fn both_ways(phase: &Phase, size: usize) -> &'static str {
    let backend = Backend::start(move |peer, _| exchange(&peer, &pattern(size, 1)));
    let proxy = phase.proxy().backend(backend.addr()).start();

    let heard = exchange(&Peer::connect(proxy.addr()), &pattern(size, 2));
    if heard == pattern(size, 1) && backend.first() == pattern(size, 2) {
        "unchanged"
    } else {
        "changed"
    }
}

/// Speaks and listens at the same time; whoever does one after the other blocks
/// as soon as the buffers between are full.
fn exchange(peer: &Peer, bytes: &[u8]) -> Vec<u8> {
    thread::scope(|scope| {
        scope.spawn(|| peer.say(bytes).finish());
        peer.hear_all().0
    })
}

fn serves_many_at_once(phase: &Phase) -> String {
    const CLIENTS: usize = 100;
    let backend = Backend::echo();
    let proxy = phase.proxy().backend(backend.addr()).start();

    let clients: Vec<_> = (0..CLIENTS).map(|_| Peer::connect(proxy.addr())).collect();
    backend.wait_accepted(CLIENTS);
    for client in &clients {
        client.say("x");
    }
    let heard = clients.iter().filter(|client| client.hear(1) == b"x");
    format!("{} of {CLIENTS} heard", heard.count())
}

fn reply_after_client_fin(phase: &Phase) -> String {
    let backend = Backend::start(|peer, _| {
        let (heard, _) = peer.hear_all();
        // Long enough for a proxy that gives up to do so.
        thread::sleep(Duration::from_millis(300));
        peer.say("REPLY");
        text(&heard)
    });
    let proxy = phase.proxy().backend(backend.addr()).start();

    let client = Peer::connect(proxy.addr());
    let (heard, _) = client.say("Q").finish().hear_all();
    format!(
        "the backend hears {}, then the client hears {}",
        backend.first(),
        text(&heard)
    )
}

fn client_goes_on_after_backend_fin(phase: &Phase) -> String {
    let backend = Backend::start(|peer, _| peer.say("HELLO").finish().hear_all().0);
    let proxy = phase.proxy().backend(backend.addr()).start();

    let client = Peer::connect(proxy.addr());
    let (heard, _) = client.hear_all();
    client.say(pattern(MEBIBYTE, 3)).finish();
    format!(
        "the client hears {}, then the backend hears {}",
        text(&heard),
        if backend.first() == pattern(MEBIBYTE, 3) {
            "1 MiB"
        } else {
            "something else"
        }
    )
}

fn fin_before_any_byte(phase: &Phase) -> String {
    let backend = Backend::start(|peer, _| {
        let (heard, end) = peer.hear_all();
        peer.say("BYE");
        format!("{}{end}", text(&heard))
    });
    let proxy = phase.proxy().backend(backend.addr()).start();

    let client = Peer::connect(proxy.addr());
    let (heard, _) = client.finish().hear_all();
    format!(
        "the backend hears {}, then the client hears {}",
        backend.first(),
        text(&heard)
    )
}

/// Bytes that tell a lost, a doubled and a swapped piece from the right one.
fn pattern(size: usize, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let bytes = (0..size).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    bytes.collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const MEBIBYTE: usize = 1024 * 1024;
