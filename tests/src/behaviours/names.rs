//! TLS, led by the name that the client asks for.

use crate::backend::Backend;
use crate::hello::hello;
use crate::matrix::Cell::{Has, Lacks, NotAsked};
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
        name: "most_specific_name_wins",
        says: "Of several patterns the most specific one counts, wherever it stands on the command line; the same name twice has two backends.",
        run: most_specific_name_wins,
        cells: &[
            (
                1,
                Lacks("z.example.com: d; y.b.example.com: d; x.b.example.com: d d"),
            ),
            (
                10,
                Has("z.example.com: a; y.b.example.com: b; x.b.example.com: a b"),
            ),
        ],
    },
    Row {
        name: "names_with_odd_dots",
        says: "Upper case and one dot at the end mean nothing; any other dot makes it another name.",
        run: names_with_odd_dots,
        cells: &[
            (
                1,
                Lacks(
                    "a.Example.com.: d; x.B.example.com: d; b.example.com.: d; a.example.com..: d; .a.example.com: d",
                ),
            ),
            (
                10,
                Has(
                    "a.Example.com.: a; x.B.example.com: b; b.example.com.: d; a.example.com..: d; .a.example.com: d",
                ),
            ),
        ],
    },
    Row {
        name: "unknown_name_without_a_default",
        says: "If all backends belong to names, a client that asks for another one is closed.",
        run: unknown_name_without_a_default,
        cells: &[
            (1, NotAsked),
            (
                10,
                Has("a.example.com: a; c.example.com: nobody, and the log tells why"),
            ),
        ],
    },
    Row {
        name: "hello_arrives_unchanged",
        says: "The backend gets the hello that the client has sent, byte for byte, and what follows it.",
        run: hello_arrives_unchanged,
        cells: &[(1, Has("hello and what follows are unchanged"))],
    },
];

fn name_leads_to_its_backend(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "100s");
    led(
        &proxy,
        &[
            "a.example.com",
            "A.EXAMPLE.COM.",
            "x.b.example.com",
            "y.x.b.example.com",
            "b.example.com",
            "other.org",
        ],
    )
}

fn names_with_odd_dots(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "100s");
    led(
        &proxy,
        &[
            "a.Example.com.",
            "x.B.example.com",
            "b.example.com.",
            "a.example.com..",
            ".a.example.com",
        ],
    )
}

fn led(proxy: &Program, names: &[&str]) -> String {
    let led = names
        .iter()
        .map(|name| format!("{name}: {}", asked(proxy, name)));
    led.collect::<Vec<_>>().join("; ")
}

fn most_specific_name_wins(phase: &Phase) -> String {
    let [a, b, d] = ["a", "b", "d"].map(hearing);
    let proxy = phase
        .proxy()
        .backend(d.addr())
        .repeat("--sni", format_args!("*.example.com={}", a.addr()))
        .repeat("--sni", format_args!("x.b.example.com={}", a.addr()))
        .repeat("--sni", format_args!("x.b.example.com={}", b.addr()))
        .repeat("--sni", format_args!("*.b.example.com={}", b.addr()))
        .start();
    format!(
        "{} {}",
        led(
            &proxy,
            &["z.example.com", "y.b.example.com", "x.b.example.com"]
        ),
        asked(&proxy, "x.b.example.com")
    )
}

fn unknown_name_without_a_default(phase: &Phase) -> String {
    let a = hearing("a");
    let proxy = phase
        .proxy()
        .repeat("--sni", format_args!("a.example.com={}", a.addr()))
        .start();
    let led = led(&proxy, &["a.example.com", "c.example.com"]);
    let told = proxy.finds_log(&["no --backend given"])
        && proxy.finds_log(&["sni=\"c.example.com\"", "cause=\"PC\"", "no route"]);
    format!(
        "{led}, and the log {}",
        if told {
            "tells why"
        } else {
            "does not tell why"
        }
    )
}

/// Who answers to a client that asks for `name`.
fn asked(proxy: &Program, name: &str) -> String {
    answer(Peer::connect(proxy.addr()).say(hello(name)))
}

fn hello_arrives_unchanged(phase: &Phase) -> String {
    let (proxy, backends) = routed(phase, "100s");
    let sent = [hello("a.example.com"), b"and the rest".into()].concat();
    let client = Peer::connect(proxy.addr());
    let name = answer(client.say(&sent));
    client.finish();
    format!(
        "hello and what follows are {}",
        if heard_by(&backends, &name) == sent {
            "unchanged"
        } else {
            "changed"
        }
    )
}

/// Whoever asks for a.example.com gets a, below b.example.com it is b, and d for all
/// others. Clients have `deadline` to say a name.
pub fn routed(phase: &Phase, deadline: &str) -> (Program, [Backend<Vec<u8>>; 3]) {
    let backends = ["a", "b", "d"].map(hearing);
    let [a, b, d] = backends.each_ref().map(Backend::addr);
    let proxy = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        .backend(d)
        .repeat("--sni", format_args!("a.example.com={a}"))
        .repeat("--sni", format_args!("*.b.example.com={b}"))
        .flag("--sni-peek-timeout", deadline)
        .start();
    (proxy, backends)
}

/// A backend that says its name when it hears something, and keeps all that it hears.
pub fn hearing(name: &'static str) -> Backend<Vec<u8>> {
    Backend::start(move |peer, _| {
        let mut heard = peer.hear(1);
        if !heard.is_empty() {
            peer.say(format!("{name}\n"));
            heard.extend(peer.hear_all().0);
        }
        heard
    })
}

/// Who answers to what was said.
pub fn answer(client: &Peer) -> String {
    client
        .hear_line(DEADLINE)
        .unwrap_or_else(|_| "nobody".into())
}

/// All that the backend with this name has heard from a client that has finished.
pub fn heard_by(backends: &[Backend<Vec<u8>>; 3], name: &str) -> Vec<u8> {
    let [a, b, d] = backends;
    match name {
        "a" => a.next(),
        "b" => b.next(),
        _ => d.next(),
    }
}
