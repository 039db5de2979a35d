//! The shapes that a hello can have, on its way and in itself.

use std::thread;
use std::time::Duration;

use crate::behaviours::names::{answer, heard_by, routed};
use crate::hello::{
    HOST_NAME, extension, handshake, handshake_without_extensions, hello, hello_with, padding,
    record, server_name, server_names,
};
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::metrics::Page;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::program::Program;

pub const ROWS: &[Row] = &[
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
        name: "slow_and_big_hello",
        says: "A post-quantum hello that comes in two packets 300 ms apart is led by its name, and so is one that comes byte by byte.",
        run: slow_and_big_hello,
        cells: &[
            (1, Lacks("1630 bytes in two packets: d; byte by byte: d")),
            (10, Has("1630 bytes in two packets: a; byte by byte: a")),
        ],
    },
    Row {
        name: "largest_hello",
        says: "A hello of 9 kB is led by its name; one that is larger than a record goes to the default at once, unchanged.",
        run: largest_hello,
        cells: &[
            (
                1,
                Lacks("9130 bytes: d at once, unchanged; 17125 bytes: d at once, unchanged"),
            ),
            (
                10,
                Has("9130 bytes: a at once, unchanged; 17125 bytes: d at once, unchanged"),
            ),
        ],
    },
    Row {
        name: "hello_over_two_records",
        says: "A hello may be spread over several TLS records, even one for each byte.",
        run: hello_over_two_records,
        cells: &[
            (1, Lacks("two records: d; a record for each byte: d")),
            (13, Has("two records: a; a record for each byte: a")),
        ],
    },
    Row {
        name: "hello_without_a_name",
        says: "A client that names nobody, or an address, goes to the default at once, and is counted.",
        run: hello_without_a_name,
        cells: &[
            (1, NotAsked),
            (
                10,
                Has(
                    "no name: d at once; no extensions: d at once; 192.0.2.1: d at once; 2001:db8::1: d at once; tls_no_sni: 4",
                ),
            ),
        ],
    },
    Row {
        name: "two_names_count_for_none",
        says: "Proxy and backend might believe different ones of two names, so the client goes to the default, and is counted; an unknown type of name is skipped.",
        run: two_names_count_for_none,
        cells: &[
            (1, NotAsked),
            (
                10,
                Has(
                    "a and b: d at once; b and a: d at once; in one list: d at once; malformed: 3; after an unknown type: a at once",
                ),
            ),
        ],
    },
    Row {
        name: "unknown_extensions_do_no_harm",
        says: "What browsers send to keep the world flexible (GREASE), and an encrypted hello, leave the outer name where it is.",
        run: unknown_extensions_do_no_harm,
        cells: &[
            (1, Lacks("GREASE: d at once; ECH: d at once")),
            (10, Has("GREASE: a at once; ECH: a at once")),
        ],
    },
];

fn hello_in_two_packets(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, LONG);
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

fn slow_and_big_hello(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, LONG);
    let big = hello_with(&[server_name("a.example.com"), padding(1500)]);

    let client = Peer::connect(proxy.addr());
    client.say(&big[..1400]);
    thread::sleep(Duration::from_millis(300));
    let in_two = answer(client.say(&big[1400..]));

    let client = Peer::connect(proxy.addr());
    for byte in hello("a.example.com") {
        client.say([byte]);
        thread::sleep(Duration::from_millis(4));
    }
    format!(
        "{} bytes in two packets: {in_two}; byte by byte: {}",
        big.len(),
        answer(&client)
    )
}

fn largest_hello(phase: &Phase) -> String {
    let nine = hello_with(&[server_name("a.example.com"), padding(9000)]);
    let seventeen = handshake(&[server_name("a.example.com"), padding(16_990)]);
    let seventeen = [record(&seventeen[..1 << 14]), record(&seventeen[1 << 14..])].concat();

    let sent = [nine, seventeen].map(|hello| {
        let (proxy, backends) = routed(phase, LONG);
        let client = Peer::connect(proxy.addr());
        let answer = at_once(&client, &hello);
        client.finish();
        let unchanged = heard_by(&backends, &answer[..1]) == hello;
        format!(
            "{} bytes: {answer}, {}",
            hello.len(),
            if unchanged { "unchanged" } else { "changed" }
        )
    });
    sent.join("; ")
}

/// While it is not read, a client waits for the deadline, so that is short here.
fn hello_over_two_records(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "500ms");
    let hello = handshake(&[server_name("a.example.com")]);
    let two = [record(&hello[..60]), record(&hello[60..])].concat();
    let many: Vec<u8> = hello.iter().flat_map(|byte| record(&[*byte])).collect();

    let clients = [two, many].map(|hello| {
        let client = Peer::connect(proxy.addr());
        client.say(hello);
        client
    });
    let [two, many] = clients.each_ref().map(answer);
    format!("two records: {two}; a record for each byte: {many}")
}

fn hello_without_a_name(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, LONG);
    let led = led(
        &proxy,
        &[
            ("no name", hello_with(&[])),
            ("no extensions", record(&handshake_without_extensions())),
            ("192.0.2.1", hello("192.0.2.1")),
            ("2001:db8::1", hello("2001:db8::1")),
        ],
    );
    format!("{led}; tls_no_sni: {}", counted(&proxy, "tls_no_sni"))
}

fn two_names_count_for_none(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, LONG);
    let (a, b) = (server_name("a.example.com"), server_name("x.b.example.com"));
    let both = [(HOST_NAME, "a.example.com"), (HOST_NAME, "x.b.example.com")];
    let twice = led(
        &proxy,
        &[
            ("a and b", hello_with(&[a.clone(), b.clone()])),
            ("b and a", hello_with(&[b, a])),
            ("in one list", hello_with(&[server_names(&both)])),
        ],
    );
    let malformed = counted(&proxy, "malformed");

    let other = hello_with(&[server_names(&[(1, "zz"), (HOST_NAME, "a.example.com")])]);
    let other = led(&proxy, &[("after an unknown type", other)]);
    format!("{twice}; malformed: {malformed}; {other}")
}

fn unknown_extensions_do_no_harm(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, LONG);
    let name = server_name("a.example.com");
    let grease = [
        extension(0x0a0a, &[]),
        extension(0xfafa, &[0]),
        name.clone(),
        extension(0x1a1a, &[]),
    ];
    led(
        &proxy,
        &[
            ("GREASE", hello_with(&grease)),
            ("ECH", hello_with(&[name, extension(0xfe0d, &[0; 201])])),
        ],
    )
}

fn led(proxy: &Program, hellos: &[(&str, Vec<u8>)]) -> String {
    let led = hellos.iter().map(|(what, hello)| {
        let client = Peer::connect(proxy.addr());
        format!("{what}: {}", at_once(&client, hello))
    });
    led.collect::<Vec<_>>().join("; ")
}

/// Who answers. Whoever is heard at all has not waited for the deadline.
fn at_once(client: &Peer, hello: &[u8]) -> String {
    format!("{} at once", answer(client.say(hello)))
}

/// How many clients have been found to be this.
pub fn counted(proxy: &Program, result: &str) -> String {
    Page::read(proxy).value(&format!(
        "tcpproxy_peek_results_total{{result=\"{result}\"}}"
    ))
}

/// Longer than any test waits for an answer.
pub const LONG: &str = "100s";
