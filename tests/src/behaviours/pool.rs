//! Connections to the backend that are there before the client is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::backend::{self, Backend};
use crate::client::{ask, served};
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::peer::{End, Peer};
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
        name: "a_lone_client_finds_a_waiting_connection",
        says: "With one connection that waits, clients who come one after the other find it, whichever thread serves them.",
        run: a_lone_client_finds_a_waiting_connection,
        cells: &[(1, NotAsked), (5, Has("8 of 8"))],
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
        name: "a_backend_that_speaks_first_is_not_pooled",
        says: "A client of a backend that speaks first hears it fresh, and no connection waits there from then on.",
        run: a_backend_that_speaks_first_is_not_pooled,
        cells: &[
            (1, NotAsked),
            (5, Has("4 of 4 clients: fresh, and open; then waiting: 0")),
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

fn a_lone_client_finds_a_waiting_connection(phase: &Phase) -> String {
    const CLIENTS: usize = 8;
    let backend = Backend::start(|peer, number| backend::answer(&peer, &number.to_string()));
    let proxy = phase
        .proxy()
        .flag("--pool-size", 1)
        .flag("--workers", 4)
        .backend(backend.addr())
        .start();

    let found = (0..CLIENTS).filter(|_| {
        let accepted = waiting(phase, &backend, 1);
        ask(proxy.addr())
            .parse()
            .is_ok_and(|number: usize| number < accepted)
    });
    format!("{} of {CLIENTS}", found.count())
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

fn a_backend_that_speaks_first_is_not_pooled(phase: &Phase) -> String {
    // Those that wait are ended behind their greeting, which a look at the first byte does not
    // show.
    let clients_come = Arc::new(AtomicBool::new(false));
    let come = Arc::clone(&clients_come);
    let backend = Backend::start(move |peer, number| {
        peer.say(format!("{number}\n"));
        if come.load(Ordering::Relaxed) {
            peer.hear_all();
        }
    });
    let proxy = phase
        .proxy()
        .flag("--pool-size", 3)
        .backend(backend.addr())
        .start();
    let waited = waiting(phase, &backend, 1);
    clients_come.store(true, Ordering::Relaxed);

    let clients: Vec<_> = (0..4).map(|_| Peer::connect(proxy.addr())).collect();
    let fresh = clients.iter().filter(|client| {
        let number = client.hear_line(DEADLINE);
        number.is_ok_and(|number| number.parse().is_ok_and(|number: usize| number >= waited))
            && client.end_within(QUIET) == End::StillOpen
    });
    let fresh = fresh.count();
    let waiting = backend.settled() - waited - clients.len();
    format!("{fresh} of 4 clients: fresh, and open; then waiting: {waiting}")
}
