//! What else a hello says, and who says it.

use crate::behaviours::hellos::LONG;
use crate::behaviours::names::{answer, heard_by, hearing, routed};
use crate::hello::{
    CAPTURED, extension, handshake, hello_offering, hello_with, record, server_name,
};
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::Phase;

pub const ROWS: &[Row] = &[
    Row {
        name: "real_hellos_are_led",
        says: "The hellos of OpenSSL, curl, Node and Chromium are led by their name, and arrive unchanged.",
        run: real_hellos_are_led,
        cells: &[
            (1, Lacks("to a: ")),
            (
                10,
                Lacks("to a: openssl 1.3, openssl 1.2, curl, node, chromium"),
            ),
            (
                13,
                Has("to a: openssl 1.3, openssl 1.2, openssl, two records, curl, node, chromium"),
            ),
        ],
    },
    Row {
        name: "records_may_end_anywhere",
        says: "Where the records of a hello end does not matter, nor when they come; the backend gets each as it was.",
        run: records_may_end_anywhere,
        cells: &[
            (1, Lacks("0 of 5 lead to a")),
            (13, Has("5 of 5 lead to a")),
        ],
    },
    Row {
        name: "protocol_leads_to_its_backend",
        says: "Of the routes for a name the one counts whose protocol the client likes best, then the one for any.",
        run: protocol_leads_to_its_backend,
        cells: &[
            (1, NotAsked),
            (
                13,
                Has("h2: b; http/1.1: a; http/1.1 or h2: b; h2 elsewhere: d"),
            ),
        ],
    },
    Row {
        name: "encrypted_hello_is_told",
        says: "The log tells which clients have sent an encrypted hello: for them the name is not the one that they mean.",
        run: encrypted_hello_is_told,
        cells: &[
            (1, NotAsked),
            (10, Lacks("without: a, no word; with: b, no word")),
            (13, Has("without: a, no word; with: b, ech=1")),
        ],
    },
];

fn real_hellos_are_led(phase: &Phase) -> String {
    let (proxy, backends) = routed(phase, "500ms");
    let led = CAPTURED.iter().filter(|(_, bytes)| {
        let client = Peer::connect(proxy.addr());
        let name = answer(client.say(bytes));
        client.finish();
        heard_by(&backends, &name) == *bytes && name == "a"
    });
    let led: Vec<_> = led.map(|(client, _)| *client).collect();
    format!("to a: {}", led.join(", "))
}

/// While they are not understood, clients wait for the deadline, so that is short here.
fn records_may_end_anywhere(phase: &Phase) -> String {
    let (proxy, backends) = routed(phase, "500ms");
    let hello = handshake(&[server_name("a.example.com")]);
    let cut_at = |cuts: &[usize]| {
        let mut pieces = Vec::new();
        let mut start = 0;
        for end in cuts.iter().copied().chain([hello.len()]) {
            pieces.extend(record(&hello[start..end]));
            start = end;
        }
        pieces
    };
    let last = hello.len() - 1;
    let eights: Vec<_> = (8..hello.len()).step_by(8).collect();
    let cuts = [&[1][..], &[last], &[60], &[5, 105], &eights].map(cut_at);

    let led = cuts.iter().filter(|bytes| {
        let client = Peer::connect(proxy.addr());
        // The second record comes when the first is surely known.
        client.say(&bytes[..6]);
        let name = answer(client.say(&bytes[6..]));
        client.finish();
        heard_by(&backends, &name) == **bytes && name == "a"
    });
    format!("{} of {} lead to a", led.count(), cuts.len())
}

fn protocol_leads_to_its_backend(phase: &Phase) -> String {
    let [a, b, d] = ["a", "b", "d"].map(hearing);
    let proxy = phase
        .proxy()
        .backend(d.addr())
        .repeat("--sni", format_args!("a.example.com={}", a.addr()))
        .repeat("--sni", format_args!("a.example.com,alpn=h2={}", b.addr()))
        .flag("--sni-peek-timeout", LONG)
        .start();
    let led = [
        ("h2", "a.example.com", &["h2", "http/1.1"][..]),
        ("http/1.1", "a.example.com", &["http/1.1"]),
        ("http/1.1 or h2", "a.example.com", &["http/1.1", "h2"]),
        ("h2 elsewhere", "b.example.com", &["h2"]),
    ]
    .map(|(what, name, protocols)| {
        let client = Peer::connect(proxy.addr());
        format!(
            "{what}: {}",
            answer(client.say(hello_offering(name, protocols)))
        )
    });
    led.join("; ")
}

fn encrypted_hello_is_told(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, LONG);
    let encrypted = extension(0xfe0d, &[0; 201]);
    let told = [
        ("a.example.com", vec![]),
        ("x.b.example.com", vec![encrypted]),
    ]
    .map(|(name, more)| {
        let hello = hello_with(&[vec![server_name(name)], more].concat());
        let answer = answer(Peer::connect(proxy.addr()).say(hello));
        let line = proxy.wait_log(&[&format!("sni=\"{name}\"")]);
        let told = if line.contains("ech=1") {
            "ech=1"
        } else {
            "no word"
        };
        format!("{answer}, {told}")
    });
    format!("without: {}; with: {}", told[0], told[1])
}
