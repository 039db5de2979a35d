//! The byte that settles it: who is still waited for, and who no longer.

use std::time::{Duration, Instant};

use crate::behaviours::hellos::{LONG, counted};
use crate::behaviours::names::{answer, heard_by, routed};
use crate::hello::{handshake, hello, record, server_name, ssl_v2};
use crate::matrix::Cell::{Flaw, Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::program::Program;

pub const ROWS: &[Row] = &[
    Row {
        name: "short_messages_do_not_wait",
        says: "One byte that cannot begin a hello is enough, and so is a header that cannot be one's.",
        run: short_messages_do_not_wait,
        cells: &[
            (1, Has("at once: h, hi, alert, 160301AAAA")),
            (
                10,
                Flaw("peek-wait", "after the deadline: h, hi, alert, 160301AAAA"),
            ),
            (13, Has("at once: h, hi, alert, 160301AAAA")),
        ],
    },
    Row {
        name: "beginnings_of_a_hello_are_waited_for",
        says: "What can still become a hello is undecided, and its client is served when the time is up.",
        run: beginnings_of_a_hello_are_waited_for,
        cells: &[
            (1, Lacks("at once: 16, 1603010040, 80")),
            (10, Has("after the deadline: 16, 1603010040, 80")),
        ],
    },
    Row {
        name: "end_settles_it",
        says: "A client that stops in the middle of a hello is not waited for: its bytes and its end go to the default.",
        run: end_settles_it,
        cells: &[
            (
                1,
                Has("160301: d at once, unchanged; 802e01: d at once, unchanged"),
            ),
            (
                10,
                Flaw(
                    "peek-wait",
                    "160301: nobody at once; 802e01: nobody at once",
                ),
            ),
            (
                13,
                Has("160301: d at once, unchanged; 802e01: d at once, unchanged"),
            ),
        ],
    },
    Row {
        name: "ssl_2_is_known",
        says: "A hello in the form of SSL 2 has no place for a name. Five bytes tell, and it is counted.",
        run: ssl_2_is_known,
        cells: &[
            (1, NotAsked),
            (
                10,
                Flaw("peek-wait", "after the deadline: 2.0, 3.1; sslv2: none"),
            ),
            (13, Has("at once: 2.0, 3.1; sslv2: 2")),
        ],
    },
    Row {
        name: "too_much_is_known_from_its_header",
        says: "A record or a hello that says it is too long is not waited for.",
        run: too_much_is_known_from_its_header,
        cells: &[
            (1, NotAsked),
            (
                10,
                Flaw(
                    "peek-wait",
                    "after the deadline: record of 65535, hello of 16777215; not_tls: none, too_large: 0",
                ),
            ),
            (
                13,
                Has("at once: record of 65535, hello of 16777215; not_tls: 1, too_large: 1"),
            ),
        ],
    },
    Row {
        name: "hello_is_not_interrupted",
        says: "Between the records of a hello nothing else may come: then it is no hello, and is counted.",
        run: hello_is_not_interrupted,
        cells: &[
            (1, NotAsked),
            (
                10,
                Lacks("after the deadline: alert between records; malformed: 0"),
            ),
            (13, Has("at once: alert between records; malformed: 1")),
        ],
    },
    Row {
        name: "slow_hello_costs_the_others_nothing",
        says: "While the hello of a far client arrives in three pieces, 1,000 others that do not speak TLS are served.",
        run: slow_hello_costs_the_others_nothing,
        cells: &[
            (1, Lacks("1000 served meanwhile; then d")),
            (10, Flaw("peek-wait", "0 served meanwhile; then a")),
            (13, Has("1000 served meanwhile; then a")),
        ],
    },
];

fn short_messages_do_not_wait(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "2s");
    served(
        &proxy,
        &[
            ("h", b"h"),
            ("hi", b"hi"),
            ("alert", ALERT),
            ("160301AAAA", b"\x16\x03\x01AAAA"),
        ],
    )
}

fn beginnings_of_a_hello_are_waited_for(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "2s");
    served(
        &proxy,
        &[
            ("16", b"\x16"),
            ("1603010040", b"\x16\x03\x01\x00\x40"),
            ("80", b"\x80"),
        ],
    )
}

fn end_settles_it(phase: &Phase) -> String {
    let said = [&b"\x16\x03\x01"[..], b"\x80\x2e\x01"].map(|bytes| {
        let (proxy, backends) = routed(phase, LONG);
        let client = Peer::connect(proxy.addr());
        client.say(bytes).finish();
        let what: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        match client.hear_line(Duration::from_secs(2)) {
            Err(_) => format!("{what}: nobody at once"),
            Ok(name) => {
                let heard = heard_by(&backends, &name);
                let state = if heard == bytes {
                    "unchanged"
                } else {
                    "changed"
                };
                format!("{what}: {name} at once, {state}")
            }
        }
    });
    said.join("; ")
}

fn ssl_2_is_known(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "2s");
    let (two, three) = (ssl_v2([0, 2]), ssl_v2([3, 1]));
    let served = served(&proxy, &[("2.0", &two), ("3.1", &three)]);
    format!("{served}; sslv2: {}", counted(&proxy, "sslv2"))
}

fn too_much_is_known_from_its_header(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "2s");
    let hello = [&b"\x16\x03\x01\x40\x00\x01\xff\xff\xff"[..], &[3; 91]].concat();
    let served = served(
        &proxy,
        &[
            ("record of 65535", b"\x16\x03\x01\xff\xff"),
            ("hello of 16777215", &hello),
        ],
    );
    format!(
        "{served}; not_tls: {}, too_large: {}",
        counted(&proxy, "not_tls"),
        counted(&proxy, "too_large")
    )
}

fn hello_is_not_interrupted(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "2s");
    let hello = handshake(&[server_name("a.example.com")]);
    let bytes = [&record(&hello[..60]), ALERT, &record(&hello[60..])].concat();
    let served = served(&proxy, &[("alert between records", &bytes)]);
    format!("{served}; malformed: {}", counted(&proxy, "malformed"))
}

/// Which of these the default has served at once, and which when the two seconds
/// were over that clients have.
fn served(proxy: &Program, said: &[(&str, &[u8])]) -> String {
    let clients: Vec<_> = said
        .iter()
        .map(|(what, bytes)| {
            let (start, client) = (Instant::now(), Peer::connect(proxy.addr()));
            client.say(bytes);
            (what, start, client)
        })
        .collect();

    let (mut at_once, mut late) = (Vec::new(), Vec::new());
    for (what, start, client) in clients {
        match &*answer(&client) {
            "d" if start.elapsed() < Duration::from_secs(2) => at_once.push(*what),
            "d" => late.push(*what),
            other => return format!("{what}: {other}"),
        }
    }
    let groups = [("at once", at_once), ("after the deadline", late)];
    let groups = groups.iter().filter(|(_, group)| !group.is_empty());
    let groups = groups.map(|(when, group)| format!("{when}: {}", group.join(", ")));
    groups.collect::<Vec<_>>().join("; ")
}

/// The others are the pauses of the far client.
fn slow_hello_costs_the_others_nothing(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, LONG);
    let hello = hello("a.example.com");
    let far = Peer::connect(proxy.addr());

    let mut count = 0;
    for piece in [&hello[..1], &hello[1..2]] {
        far.say(piece);
        count += (0..500)
            .take_while(|_| {
                let near = Peer::connect(proxy.addr());
                near.say("GET / HTTP/1.1\r\n\r\n");
                near.hear_line(Duration::from_secs(2)).is_ok()
            })
            .count();
    }
    format!(
        "{count} served meanwhile; then {}",
        answer(far.say(&hello[2..]))
    )
}

/// TLS, but nothing that a conversation begins with.
const ALERT: &[u8] = b"\x15\x03\x01\x00\x02\x02\x28";
