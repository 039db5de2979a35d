//! The PROXY header where there is a choice: which family, which backend, and
//! whether another implementation reads the same.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};

use proxy_header::{ParseConfig, ProxyHeader};

use crate::backend::Backend;
use crate::door::Door;
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::Phase;

pub const ROWS: &[Row] = &[
    Row {
        name: "header_is_read_by_others",
        says: "Byte for byte the header is what the specification lays out, and another implementation reads the same two addresses.",
        run: header_is_read_by_others,
        cells: &[
            (1, Lacks("v1: no header; v2: no header")),
            (7, Has("v1: as specified; v2: as specified")),
        ],
    },
    Row {
        name: "header_of_an_ipv6_client",
        says: "A client that comes by IPv6 is announced with its IPv6 address.",
        run: header_of_an_ipv6_client,
        cells: &[
            (1, Lacks("v1: no header; v2: no header")),
            (7, Has("v1: as specified; v2: as specified")),
        ],
    },
    Row {
        name: "mapped_client_is_announced_as_ipv4",
        says: "An IPv4 client of a listener for both families is announced with its IPv4 address.",
        run: mapped_client_is_announced_as_ipv4,
        cells: &[
            (1, Lacks("v1: no header; v2: no header")),
            (7, Has("v1: as specified; v2: as specified")),
        ],
    },
    Row {
        name: "header_goes_to_whoever_serves",
        says: "If the first backend refuses, the second one gets the header.",
        run: header_goes_to_whoever_serves,
        cells: &[
            (1, NotAsked),
            (4, Lacks("v1: no header; v2: no header")),
            (7, Has("v1: as specified; v2: as specified")),
        ],
    },
];

fn header_is_read_by_others(phase: &Phase) -> String {
    let source = Ipv4Addr::new(127, 0, 0, 3).into();
    both_forms(|form| announced(phase, form, "127.0.0.1:0", source))
}

/// A machine without IPv6 cannot answer, and says so instead of passing.
fn header_of_an_ipv6_client(phase: &Phase) -> String {
    let loopback = IpAddr::V6(Ipv6Addr::LOCALHOST);
    if let Err(error) = TcpListener::bind((loopback, 0)) {
        return format!("this machine has no IPv6 loopback: {error}");
    }
    both_forms(|form| announced(phase, form, "[::1]:0", loopback))
}

fn mapped_client_is_announced_as_ipv4(phase: &Phase) -> String {
    let source = Ipv4Addr::new(127, 0, 0, 4).into();
    both_forms(|form| announced(phase, form, "[::]:0", source))
}

fn header_goes_to_whoever_serves(phase: &Phase) -> String {
    both_forms(|form| {
        let (dead, b) = (Door::closed(), hearing());
        let proxy = phase
            .proxy()
            .flag("--proxy-protocol", form)
            .backend(dead.addr())
            .backend(b.addr())
            .start();
        let client = Peer::connect(proxy.addr());
        client.say(GREETING).finish();
        judge(form, &b.next(), client.local_addr(), proxy.addr())
    })
}

fn both_forms(observe: impl Fn(&str) -> String) -> String {
    format!("v1: {}; v2: {}", observe("v1"), observe("v2"))
}

/// Connects from `source` to a proxy that listens on `listen`.
fn announced(phase: &Phase, form: &str, listen: &str, source: IpAddr) -> String {
    let backend = hearing();
    let proxy = phase
        .proxy()
        .flag("--listen", listen)
        .flag("--proxy-protocol", form)
        .backend(backend.addr())
        .start();

    let loopback = match source {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
    };
    let target = SocketAddr::new(loopback, proxy.addr().port());
    let client = Peer::connect_from(source, target);
    client.say(GREETING).finish();
    judge(form, &backend.next(), client.local_addr(), target)
}

fn hearing() -> Backend<Vec<u8>> {
    Backend::start(|peer, _| peer.hear_all().0)
}

/// Compares what the backend has heard with the layout in `proxy-protocol.txt`, and
/// with what another implementation makes of it.
fn judge(form: &str, heard: &[u8], from: SocketAddr, to: SocketAddr) -> String {
    if heard == GREETING {
        return "no header".into();
    }

    let header = if form == "v1" {
        v1(from, to)
    } else {
        v2(from, to)
    };
    if heard != [&header, GREETING].concat() {
        return format!("{:?}", heard.escape_ascii().to_string());
    }

    let read = ProxyHeader::parse(heard, ParseConfig::default());
    let Ok((read, length)) = read else {
        return "another implementation cannot read it".into();
    };
    let read = read
        .proxied_address()
        .map(|pair| (pair.source, pair.destination));
    if read == Some((from, to)) && length == header.len() {
        "as specified".into()
    } else {
        format!("another implementation reads {read:?}")
    }
}

/// Section 2.1: a line of text.
fn v1(from: SocketAddr, to: SocketAddr) -> Vec<u8> {
    let family = if from.is_ipv4() { "TCP4" } else { "TCP6" };
    let (source, destination) = (from.ip(), to.ip());
    format!(
        "PROXY {family} {source} {destination} {} {}\r\n",
        from.port(),
        to.port()
    )
    .into()
}

/// Section 2.2: signature, version and command, family and transport, length,
/// addresses, ports.
fn v2(from: SocketAddr, to: SocketAddr) -> Vec<u8> {
    let bytes = |ip: IpAddr| match ip {
        IpAddr::V4(ip) => ip.octets().to_vec(),
        IpAddr::V6(ip) => ip.octets().to_vec(),
    };
    let addresses = [bytes(from.ip()), bytes(to.ip())].concat();
    let (family, length) = if from.is_ipv4() {
        (0x11, 12)
    } else {
        (0x21, 36)
    };
    [
        b"\r\n\r\n\0\r\nQUIT\n",
        &[0x21, family, 0, length][..],
        &addresses,
        &from.port().to_be_bytes(),
        &to.port().to_be_bytes(),
    ]
    .concat()
}

/// The client's first bytes.
const GREETING: &[u8] = b"PING";
