//! Several places to listen, and those who wait for the server to speak first.

use std::net::TcpStream;
use std::time::Duration;

use crate::backend::Backend;
use crate::behaviours::hellos::{LONG, counted};
use crate::door::Door;
use crate::hello::hello;
use crate::matrix::Cell::{Has, NotAsked};
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::{Phase, Start};

pub const ROWS: &[Row] = &[
    Row {
        name: "nobody_is_asked_where_detection_is_off",
        says: "A listener with `detect=off` asks nobody: greetings come at once, and names count for nothing. The other one asks as before.",
        run: nobody_is_asked_where_detection_is_off,
        cells: &[
            (1, NotAsked),
            (
                13,
                Has("off: 220 hi, a hello too: 220 hi; on: nothing for now, a hello: led to a"),
            ),
        ],
    },
    Row {
        name: "many_silent_clients_hear_the_greeting",
        says: "A hundred clients that wait for the server to speak all wait for the deadline, at the same time.",
        run: many_silent_clients_hear_the_greeting,
        cells: &[(1, NotAsked), (10, Has("100 greeted; timeout: 100"))],
    },
    Row {
        name: "listeners_end_together",
        says: "A signal closes all listeners, and the connections of all are waited for.",
        run: listeners_end_together,
        cells: &[
            (1, NotAsked),
            (
                13,
                Has("draining 2; new clients: refused, refused; both finish; exit status: 0"),
            ),
        ],
    },
];

fn nobody_is_asked_where_detection_is_off(phase: &Phase) -> String {
    let [a, d] = [Backend::naming("a"), greeting()];
    let proxy = two_listeners(phase)
        .backend(d.addr())
        .repeat("--sni", format_args!("a.example.com={}", a.addr()))
        .flag("--sni-peek-timeout", LONG)
        .start();
    let [on, off] = proxy.addrs();

    let heard = |client: &Peer, time| client.hear_line(time).unwrap_or("nothing for now".into());
    let silent = heard(&Peer::connect(off), LIMIT);
    let hello_there = heard(Peer::connect(off).say(hello("a.example.com")), LIMIT);
    let waiting = heard(&Peer::connect(on), Duration::from_millis(300));

    Peer::connect(on).say(hello("a.example.com"));
    a.wait_accepted(1);
    format!("off: {silent}, a hello too: {hello_there}; on: {waiting}, a hello: led to a")
}

fn many_silent_clients_hear_the_greeting(phase: &Phase) -> String {
    let (a, d) = (Door::closed(), greeting());
    let proxy = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        .backend(d.addr())
        .repeat("--sni", format_args!("a.example.com={}", a.addr()))
        .flag("--sni-peek-timeout", "500ms")
        .start();
    let clients: Vec<_> = (0..100).map(|_| Peer::connect(proxy.addr())).collect();
    let greeted = clients
        .iter()
        .filter(|client| client.hear_line(LIMIT).as_deref() == Ok("220 hi"));
    format!(
        "{} greeted; timeout: {}",
        greeted.count(),
        counted(&proxy, "timeout")
    )
}

fn listeners_end_together(phase: &Phase) -> String {
    let backend = Backend::meeting();
    let mut proxy = two_listeners(phase).backend(backend.addr()).start();
    let addrs: [_; 2] = proxy.addrs();
    let pairs = addrs.map(|addr| (Peer::connect(addr), backend.next()));

    proxy.terminate();
    let line = proxy.wait_log(&["draining"]);
    let (_, count) = line.split_once("draining ").expect("it was asked for");
    let count = count.split(' ').next().unwrap_or_default().to_owned();
    let refused = addrs.map(|addr| match TcpStream::connect_timeout(&addr, LIMIT) {
        Ok(_) => "accepted",
        Err(_) => "refused",
    });

    let finished = pairs.iter().all(|(client, server)| {
        client.say("?").finish();
        let heard = server.hear_all().0 == b"?";
        server.say("!").finish();
        heard && client.hear_all().0 == b"!"
    });
    format!(
        "draining {count}; new clients: {}; {}; {}",
        refused.join(", "),
        if finished {
            "both finish"
        } else {
            "not both finish"
        },
        proxy.wait_exit()
    )
}

fn two_listeners(phase: &Phase) -> Start<'_> {
    phase.proxy().repeat("--listen", "127.0.0.1:0,detect=off")
}

/// A server that speaks first, as for mail.
fn greeting() -> Backend {
    Backend::start(|peer, _| {
        peer.say("220 hi\n");
        peer.hear_all();
    })
}

/// Far more than it takes.
const LIMIT: Duration = Duration::from_secs(10);
