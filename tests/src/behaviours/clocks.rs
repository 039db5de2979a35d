//! What has arrived counts before what a clock says.

use std::thread;
use std::time::Duration;

use crate::backend::Backend;
use crate::behaviours::names::{answer, routed};
use crate::hello::hello;
use crate::matrix::Cell::{Has, NotAsked};
use crate::matrix::Row;
use crate::metrics::settles_at;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::record::QUIET;

pub const ROWS: &[Row] = &[
    Row {
        name: "bytes_come_before_the_idle_clock",
        says: "A program that was stopped for longer than `--idle-timeout` cuts nobody who said something meanwhile.",
        run: bytes_come_before_the_idle_clock,
        cells: &[(1, Has("20 of 20 go on"))],
    },
    Row {
        name: "bytes_come_before_the_deadline_for_names",
        says: "A program that was stopped for longer than `--sni-peek-timeout` leads everybody by the name that has come meanwhile.",
        run: bytes_come_before_the_deadline_for_names,
        cells: &[(1, NotAsked), (10, Has("20 of 20 are led by their name"))],
    },
];

fn bytes_come_before_the_idle_clock(phase: &Phase) -> String {
    let backend = Backend::meeting();
    let proxy = phase
        .proxy()
        .flag("--idle-timeout", "1200ms")
        .backend(backend.addr())
        .start();
    let addr = proxy.addr();
    let pairs: Vec<_> = (0..CLIENTS)
        .map(|_| (Peer::connect(addr), backend.next()))
        .collect();

    // On a busy machine the first has been idle for a while.
    for (client, server) in &pairs {
        client.say("?");
        server.hear(1);
    }
    proxy.hold_still();
    // It may still be about to stop.
    thread::sleep(QUIET);
    for (client, _) in &pairs {
        client.say("!");
    }
    thread::sleep(Duration::from_millis(1500));
    proxy.go_on();

    let go_on = pairs.iter().filter(|(client, server)| {
        server.hear(1) == b"!" && {
            server.say("!");
            client.hear(1) == b"!"
        }
    });
    format!("{} of {CLIENTS} go on", go_on.count())
}

fn bytes_come_before_the_deadline_for_names(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "900ms");
    let addr = proxy.addr();
    let clients: Vec<_> = (0..CLIENTS).map(|_| Peer::connect(addr)).collect();
    settles_at(&proxy, "tcpproxy_connections_active", CLIENTS);

    proxy.hold_still();
    // It may still be about to stop.
    thread::sleep(QUIET);
    for client in &clients {
        client.say(hello("a.example.com"));
    }
    thread::sleep(Duration::from_millis(1500));
    proxy.go_on();

    let led = clients.iter().filter(|client| answer(client) == "a");
    format!("{} of {CLIENTS} are led by their name", led.count())
}

const CLIENTS: usize = 20;
