use std::net::{Ipv4Addr, Ipv6Addr};

use proxy_header::{ProxiedAddress, Tlv};

use super::*;

const V1: &[u8] = b"PROXY TCP4 203.0.113.7 192.0.2.1 5555 443\r\n";

fn client() -> SocketAddr {
    (Ipv4Addr::new(203, 0, 113, 7), 5555).into()
}

fn v2(source: SocketAddr, extensions: usize) -> Vec<u8> {
    let mut header = ProxyHeader::with_address(ProxiedAddress::stream(source, source));
    if extensions > 0 {
        header.append_tlv(Tlv::Noop(extensions - 3));
    }
    let mut bytes = Vec::new();
    header.encode_v2(&mut bytes).unwrap();
    bytes
}

/// Also with a request behind it, since a proxy may send both in one segment.
#[track_caller]
fn assert_parsed_when_whole(header: &[u8], version: u8, client: Option<SocketAddr>) {
    for cut in 0..header.len() {
        assert_eq!(parse(&header[..cut]), Answer::NeedMore, "cut at {cut}");
    }
    let parsed = Answer::Parsed(Header {
        length: header.len(),
        version,
        client,
    });
    assert_eq!(parse(header), parsed);
    assert_eq!(parse(&[header, b"GET / HTTP/1.1\r\n\r\n"].concat()), parsed);
}

#[test]
fn v1_over_ipv4() {
    assert_parsed_when_whole(V1, 1, Some(client()));
}

#[test]
fn v1_over_ipv6() {
    let client = (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 5555).into();
    assert_parsed_when_whole(
        b"PROXY TCP6 2001:db8::1 2001:db8::2 5555 443\r\n",
        1,
        Some(client),
    );
}

#[test]
fn v1_from_an_unknown_client() {
    assert_parsed_when_whole(b"PROXY UNKNOWN\r\n", 1, None);
    assert_parsed_when_whole(b"PROXY UNKNOWN ffff::1 ffff::2 65535 65535\r\n", 1, None);
}

#[test]
fn v2_over_ipv4_and_ipv6() {
    assert_parsed_when_whole(&v2(client(), 0), 2, Some(client()));
    let client = (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1), 5555).into();
    assert_parsed_when_whole(&v2(client, 0), 2, Some(client));
}

#[test]
fn v2_extensions_are_part_of_the_header() {
    assert_parsed_when_whole(&v2(client(), 4096), 2, Some(client()));
}

#[test]
fn v2_for_the_proxy_itself() {
    let local = |family: &[u8]| [V2_START, b"\x20", family].concat();
    assert_parsed_when_whole(&local(b"\x00\x00\x00"), 2, None);
    assert_parsed_when_whole(&local(b"\x00\x00\x07\x04\x00\x04abcd"), 2, None);
    assert_parsed_when_whole(
        &local(b"\x11\x00\x0c\x01\x02\x03\x04\x05\x06\x07\x08\0\x01\0\x02"),
        2,
        None,
    );
}

#[test]
fn a_mapped_address_is_an_ipv4_address() {
    let mapped = (Ipv4Addr::new(203, 0, 113, 7).to_ipv6_mapped(), 5555).into();
    assert_parsed_when_whole(&v2(mapped, 0), 2, Some(client()));
    assert_eq!(unmapped(mapped), client());
}

#[test]
fn anything_else_is_known_at_the_first_byte_that_differs() {
    for bytes in [
        "G",
        "PUT",
        "PRI",
        "PROXYx",
        "\n",
        "\r\n\r\nG",
        "\u{16}\u{3}",
    ] {
        assert_eq!(parse(bytes.as_bytes()), Answer::NotThis, "{bytes:?}");
    }
}

#[test]
fn a_broken_header_is_no_header() {
    for bytes in [
        "PROXY TCP5 203.0.113.7 192.0.2.1 5555 443\r\n",
        "PROXY TCP4 203.0.113.777 192.0.2.1 5555 443\r\n",
        "PROXY TCP4 203.0.113.7 192.0.2.1 5555 65536\r\n",
        "PROXY TCP4 203.0.113.7 192.0.2.1 5555 443\rX",
    ] {
        assert_eq!(parse(bytes.as_bytes()), Answer::NotThis, "{bytes:?}");
    }
    assert_eq!(
        parse(&[V2_START, b"\x31\x11\0\0"].concat()),
        Answer::NotThis
    );
    assert_eq!(
        parse(&[V2_START, b"\x21\x11\0\x08________"].concat()),
        Answer::NotThis
    );
}

#[test]
fn a_header_without_end_is_given_up_at_the_limit() {
    let line = [b"PROXY UNKNOWN ".as_slice(), &[b'x'; V1_LIMIT]].concat();
    assert_eq!(parse(&line[..V1_LIMIT - 1]), Answer::NeedMore);
    assert_eq!(parse(&line[..V1_LIMIT]), Answer::NotThis);
    assert_eq!(
        parse(&[&line, b"\r\n".as_slice()].concat()),
        Answer::NotThis
    );

    let declares = |length: usize| {
        let length = u16::try_from(length).unwrap().to_be_bytes();
        parse(&[V2_START, b"\x21\x11", &length].concat())
    };
    assert_eq!(declares(V2_MAX), Answer::NeedMore);
    assert_eq!(declares(V2_MAX + 1), Answer::NotThis);
}
