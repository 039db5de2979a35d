//! What the backend is told about the client.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::backend::Backend;
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::record::DEADLINE;

pub const ROWS: &[Row] = &[
    Row {
        name: "proxy_v1_names_the_client",
        says: "A PROXY header of version 1 precedes the client's bytes, with both addresses as the client's socket saw them.",
        run: proxy_v1_names_the_client,
        cells: &[
            (1, Lacks("PING")),
            (
                7,
                Has("PROXY TCP4 127.0.0.5 127.0.0.1 CLIENT PROXY, then PING"),
            ),
        ],
    },
    Row {
        name: "proxy_v2_names_the_client",
        says: "Version 2 says the same in 28 bytes.",
        run: proxy_v2_names_the_client,
        cells: &[
            (1, Lacks("PING")),
            (
                7,
                Has("command 21, family 11, 12 bytes: 127.0.0.5 127.0.0.1 CLIENT PROXY, then PING"),
            ),
        ],
    },
    Row {
        name: "waiting_connection_names_its_own_client",
        says: "A pooled connection carries the header of the client that gets it, and not a byte before.",
        run: waiting_connection_names_its_own_client,
        cells: &[
            (1, NotAsked),
            (
                5,
                Lacks("4 wait; 0 have spoken; 0 of 60 hear their own address"),
            ),
            (
                7,
                Has("4 wait; 0 have spoken; 60 of 60 hear their own address"),
            ),
        ],
    },
];

fn proxy_v1_names_the_client(phase: &Phase) -> String {
    let (heard, client, proxy) = announced(phase, "v1");
    let text = String::from_utf8_lossy(&heard);
    text.replace(&format!(" {} ", client.port()), " CLIENT ")
        .replace(&format!(" {}\r\n", proxy.port()), " PROXY, then ")
}

fn proxy_v2_names_the_client(phase: &Phase) -> String {
    let (heard, client, proxy) = announced(phase, "v2");
    let Some(header) = heard.strip_prefix(SIGNATURE) else {
        return String::from_utf8_lossy(&heard).into_owned();
    };
    let [
        command,
        family,
        high,
        low,
        s0,
        s1,
        s2,
        s3,
        d0,
        d1,
        d2,
        d3,
        p0,
        p1,
        q0,
        q1,
        rest @ ..,
    ] = header
    else {
        return "a short header".into();
    };

    let port = |bytes, of: SocketAddr, name| {
        if u16::from_be_bytes(bytes) == of.port() {
            name
        } else {
            "another port"
        }
    };
    format!(
        "command {command:x}, family {family:x}, {} bytes: {} {} {} {}, then {}",
        u16::from_be_bytes([*high, *low]),
        Ipv4Addr::new(*s0, *s1, *s2, *s3),
        Ipv4Addr::new(*d0, *d1, *d2, *d3),
        port([*p0, *p1], client, "CLIENT"),
        port([*q0, *q1], proxy, "PROXY"),
        String::from_utf8_lossy(rest)
    )
}

/// What the backend hears from a client at 127.0.0.5, and both ends of that client's
/// connection.
fn announced(phase: &Phase, version: &str) -> (Vec<u8>, SocketAddr, SocketAddr) {
    let backend = Backend::start(|peer, _| peer.hear_all().0);
    let proxy = phase
        .proxy()
        .flag("--proxy-protocol", version)
        .backend(backend.addr())
        .start();

    let client = Peer::connect_from(loopback(5), proxy.addr());
    client.say("PING").finish();
    (backend.next(), client.local_addr(), proxy.addr())
}

fn waiting_connection_names_its_own_client(phase: &Phase) -> String {
    const CLIENTS: u8 = 60;
    let spoken = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&spoken);
    // Sends back the line that comes first.
    let backend = Backend::start(move |peer, _| {
        if let Ok(line) = peer.hear_line(DEADLINE) {
            count.fetch_add(1, Ordering::Relaxed);
            peer.say(line + "\n");
            peer.hear_all();
        }
    });
    let proxy = phase
        .proxy()
        .flag("--pool-size", 4)
        .flag("--proxy-protocol", "v1")
        .backend(backend.addr())
        .start();

    backend.wait_accepted(4);
    let waiting = backend.settled();
    let spoken = spoken.load(Ordering::Relaxed);
    let own = (0..CLIENTS).filter(|n| {
        let client = Peer::connect_from(loopback(2 + n % 3), proxy.addr());
        let line = client.say("x\n").hear_line(DEADLINE).unwrap_or_default();
        let addr = client.local_addr();
        line.contains(&format!(" {} ", addr.ip())) && line.contains(&format!(" {} ", addr.port()))
    });
    let own = own.count();
    format!("{waiting} wait; {spoken} have spoken; {own} of {CLIENTS} hear their own address")
}

fn loopback(last: u8) -> IpAddr {
    IpAddr::V4(Ipv4Addr::new(127, 0, 0, last))
}

const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";
