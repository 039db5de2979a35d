//! TLS, led by the name that the client asks for.

use std::thread;
use std::time::{Duration, Instant};

use crate::backend::Backend;
use crate::door::Door;
use crate::hello::hello;
use crate::matrix::Cell::{Flaw, Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::program::Program;
use crate::record::DEADLINE;

pub const ROWS: &[Row] = &[
    Row {
        name: "name_leads_to_its_backend",
        says: "A TLS client gets the backend for the name that it asks for; the most specific pattern wins, and case and a last dot do not count.",
        run: name_leads_to_its_backend,
        cells: &[
            (
                1,
                Lacks(
                    "a.example.com: d; A.EXAMPLE.COM.: d; x.b.example.com: d; y.x.b.example.com: d; b.example.com: d; other.org: d",
                ),
            ),
            (
                10,
                Has(
                    "a.example.com: a; A.EXAMPLE.COM.: a; x.b.example.com: b; y.x.b.example.com: b; b.example.com: d; other.org: d",
                ),
            ),
        ],
    },
    Row {
        name: "hello_arrives_unchanged",
        says: "The backend gets the hello that the client has sent, byte for byte, and what follows it.",
        run: hello_arrives_unchanged,
        cells: &[(1, Has("hello and what follows are unchanged"))],
    },
    Row {
        name: "hello_in_two_packets",
        says: "A hello that comes in two packets is led by its name, too, wherever it is cut.",
        run: hello_in_two_packets,
        cells: &[
            (1, Lacks("0 of 7 cuts lead to a")),
            (10, Has("7 of 7 cuts lead to a")),
        ],
    },
    Row {
        name: "other_protocols_do_not_wait",
        says: "A client that does not speak TLS is served at once, although others are asked for a name.",
        run: other_protocols_do_not_wait,
        cells: &[
            (1, NotAsked),
            (10, Flaw("peek-wait", "GET: d after the whole deadline")),
            (13, Has("GET: d at once")),
        ],
    },
    Row {
        name: "silent_client_hears_the_greeting",
        says: "A client that waits for the backend to speak first waits for the deadline and no longer.",
        run: silent_client_hears_the_greeting,
        cells: &[(1, NotAsked), (10, Has("220 hi"))],
    },
    Row {
        name: "scanner_reaches_no_backend",
        says: "A client that leaves before it has said a name reaches no backend.",
        run: scanner_reaches_no_backend,
        cells: &[
            (1, Lacks("closed; the backend: 1 connections")),
            (10, Has("closed; the backend: 0 connections")),
        ],
    },
];

fn name_leads_to_its_backend(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "2s");
    let names = [
        "a.example.com",
        "A.EXAMPLE.COM.",
        "x.b.example.com",
        "y.x.b.example.com",
        "b.example.com",
        "other.org",
    ];
    let led = names.map(|name| {
        let client = Peer::connect(proxy.addr());
        format!("{name}: {}", answer(client.say(hello(name))))
    });
    led.join("; ")
}

fn hello_arrives_unchanged(phase: &Phase) -> String {
    let a = Backend::start(|peer, _| peer.hear_all().0);
    let proxy = phase
        .proxy()
        .backend(a.addr())
        .repeat("--sni", format_args!("a.example.com={}", a.addr()))
        .flag("--sni-peek-timeout", "2s")
        .start();

    let sent = [hello("a.example.com"), b"and the rest".into()].concat();
    Peer::connect(proxy.addr()).say(&sent).finish();
    format!(
        "hello and what follows are {}",
        if a.next() == sent {
            "unchanged"
        } else {
            "changed"
        }
    )
}

fn hello_in_two_packets(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "2s");
    let hello = hello("a.example.com");
    let cuts = [1, 4, 5, 6, 60, 100, hello.len() - 1];

    let clients = cuts.map(|cut| {
        let client = Peer::connect(proxy.addr());
        client.say(&hello[..cut]);
        (client, cut)
    });
    thread::sleep(Duration::from_millis(100));
    let led = clients
        .iter()
        .filter(|(client, cut)| answer(client.say(&hello[*cut..])) == "a");
    format!("{} of {} cuts lead to a", led.count(), cuts.len())
}

fn other_protocols_do_not_wait(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "1s");
    let client = Peer::connect(proxy.addr());
    let start = Instant::now();
    let name = answer(client.say("GET / HTTP/1.1\r\n\r\n"));
    let waited = start.elapsed() >= Duration::from_secs(1);
    format!(
        "GET: {name} {}",
        if waited {
            "after the whole deadline"
        } else {
            "at once"
        }
    )
}

fn silent_client_hears_the_greeting(phase: &Phase) -> String {
    let (a, d) = (
        Door::closed(),
        Backend::start(|peer, _| {
            peer.say("220 hi\n");
            peer.hear_all();
        }),
    );
    let proxy = phase
        .proxy()
        .backend(d.addr())
        .repeat("--sni", format_args!("a.example.com={}", a.addr()))
        .flag("--sni-peek-timeout", "300ms")
        .start();
    let client = Peer::connect(proxy.addr());
    client
        .hear_line(DEADLINE)
        .unwrap_or_else(|end| end.to_string())
}

fn scanner_reaches_no_backend(phase: &Phase) -> String {
    let (proxy, [_, _, d]) = routed(phase, "2s");
    let client = Peer::connect(proxy.addr());
    let end = client.finish().end_within(DEADLINE);
    format!("{end}; the backend: {} connections", d.settled())
}

/// Whoever asks for a.example.com gets a, below b.example.com it is b, and d for all
/// others. Each says its name when it hears something.
fn routed(phase: &Phase, deadline: &str) -> (Program, [Backend; 3]) {
    let [a, b, d] = ["a", "b", "d"].map(|name| {
        Backend::start(move |peer, _| {
            if !peer.hear(1).is_empty() {
                peer.say(format!("{name}\n"));
                peer.hear_all();
            }
        })
    });
    let proxy = phase
        .proxy()
        .backend(d.addr())
        .repeat("--sni", format_args!("a.example.com={}", a.addr()))
        .repeat("--sni", format_args!("*.b.example.com={}", b.addr()))
        .flag("--sni-peek-timeout", deadline)
        .start();
    (proxy, [a, b, d])
}

/// Who answers to what was said.
fn answer(client: &Peer) -> String {
    client
        .hear_line(DEADLINE)
        .unwrap_or_else(|end| end.to_string())
}
