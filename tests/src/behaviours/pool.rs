//! Connections to the backend that are there before the client is.

use std::thread;
use std::time::Duration;

use crate::backend::{self, Backend};
use crate::client::{ask, served};
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::record::{DEADLINE, QUIET};

pub const ROWS: &[Row] = &[
    Row {
        name: "connections_wait_for_clients",
        says: "The backend has `--pool-size` connections before there is any client.",
        run: connections_wait_for_clients,
        cells: &[
            (1, Lacks("before any client: 0 connections")),
            (5, Has("before any client: 3 connections")),
        ],
    },
    Row {
        name: "first_client_gets_a_waiting_connection",
        says: "A client gets a connection that was there before it came, and nobody gets the same one again.",
        run: first_client_gets_a_waiting_connection,
        cells: &[
            (1, Lacks("the first: fresh; six clients: 6 connections")),
            (5, Has("the first: waiting; six clients: 6 connections")),
        ],
    },
    Row {
        name: "stale_connections_hurt_nobody",
        says: "Waiting connections that the backend has closed or broken off are found out before a client gets them.",
        run: stale_connections_hurt_nobody,
        cells: &[
            (1, NotAsked),
            (5, Has("closed: 6 of 6 served; broken off: 6 of 6 served")),
        ],
    },
    Row {
        name: "waiting_greeting_is_delivered",
        says: "What a backend says in a waiting connection belongs to the client that gets it.",
        run: waiting_greeting_is_delivered,
        cells: &[
            (1, NotAsked),
            (5, Has("the greeting of a waiting connection")),
        ],
    },
];

fn connections_wait_for_clients(phase: &Phase) -> String {
    let backend = Backend::silent();
    let proxy = phase
        .proxy()
        .flag("--pool-size", 3)
        .backend(backend.addr())
        .start();
    proxy.addr();
    format!(
        "before any client: {} connections",
        waiting(phase, &backend, 3)
    )
}

fn first_client_gets_a_waiting_connection(phase: &Phase) -> String {
    let backend = Backend::start(|peer, number| backend::answer(&peer, &number.to_string()));
    let proxy = phase
        .proxy()
        .flag("--pool-size", 3)
        .backend(backend.addr())
        .start();

    let waiting = waiting(phase, &backend, 3);
    let mut used: Vec<_> = (0..6).map(|_| ask(proxy.addr())).collect();
    let first = used[0].parse().is_ok_and(|number: usize| number < waiting);
    used.sort();
    used.dedup();
    format!(
        "the first: {}; six clients: {} connections",
        if first { "waiting" } else { "fresh" },
        used.len()
    )
}

/// How many connections wait for clients once the pool has had the time for `count`.
fn waiting(phase: &Phase, backend: &Backend, count: usize) -> usize {
    if phase.knows("--pool-size") {
        backend.wait_accepted(count);
    }
    backend.settled()
}

fn stale_connections_hurt_nobody(phase: &Phase) -> String {
    let closed = with_stale_connections(phase, drop);
    let broken = with_stale_connections(phase, Peer::reset);
    format!("closed: {closed}; broken off: {broken}")
}

fn with_stale_connections(phase: &Phase, end: fn(Peer)) -> String {
    const STALE: usize = 3;
    // The first connections are those of the pool: their backend loses patience.
    let backend = Backend::start(move |peer, number| {
        if number < STALE {
            thread::sleep(Duration::from_millis(50));
            end(peer);
        } else {
            backend::answer(&peer, "a");
        }
    });
    let proxy = phase
        .proxy()
        .flag("--pool-size", STALE)
        .backend(backend.addr())
        .start();
    backend
        .saw()
        .wait(DEADLINE, |all| (all.len() >= STALE).then_some(()));
    // The ends have to arrive, also on a busy machine.
    thread::sleep(2 * QUIET);
    served(proxy.addr(), 6)
}

fn waiting_greeting_is_delivered(phase: &Phase) -> String {
    let backend = Backend::start(|peer, number| {
        peer.say(format!("{number}\n"));
        peer.hear_all();
    });
    let proxy = phase
        .proxy()
        .flag("--pool-size", 3)
        .backend(backend.addr())
        .start();

    let waiting = waiting(phase, &backend, 3);
    match Peer::connect(proxy.addr()).hear_line(DEADLINE) {
        Ok(number) if number.parse().is_ok_and(|number: usize| number < waiting) => {
            "the greeting of a waiting connection".into()
        }
        Ok(_) => "the greeting of a fresh connection".into(),
        Err(end) => end.to_string(),
    }
}
