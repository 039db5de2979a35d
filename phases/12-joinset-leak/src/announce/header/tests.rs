//! The right bytes come from the examples and the layout in `proxy-protocol.txt`,
//! and from a second implementation.

use proxy_header::{ParseConfig, ProxyHeader as Oracle};

use super::*;

const CLIENT_V4: &str = "203.0.113.7:5555";
const PROXY_V4: &str = "192.0.2.9:443";

fn header(form: ProxyProtocol, source: &str, destination: &str) -> Vec<u8> {
    encode(form, source.parse().unwrap(), destination.parse().unwrap())
}

#[test]
fn version_1_is_a_line() {
    assert_eq!(
        header(ProxyProtocol::V1, CLIENT_V4, PROXY_V4),
        b"PROXY TCP4 203.0.113.7 192.0.2.9 5555 443\r\n"
    );
    assert_eq!(
        header(ProxyProtocol::V1, "[2001:db8::7]:5555", "[2001:db8::9]:443"),
        b"PROXY TCP6 2001:db8::7 2001:db8::9 5555 443\r\n"
    );
}

#[test]
fn version_2_is_laid_out_as_section_2_2_says() {
    let signature = b"\r\n\r\n\0\r\nQUIT\n";

    let v4 = header(ProxyProtocol::V2, CLIENT_V4, PROXY_V4);
    assert_eq!(&v4[..12], signature);
    // Version 2 and PROXY; INET and STREAM; 12 bytes; addresses; ports.
    assert_eq!(v4[12..16], [0x21, 0x11, 0, 12]);
    assert_eq!(
        v4[16..],
        [203, 0, 113, 7, 192, 0, 2, 9, 0x15, 0xb3, 0x01, 0xbb]
    );

    let v6 = header(ProxyProtocol::V2, "[2001:db8::7]:5555", "[2001:db8::9]:443");
    assert_eq!(v6[12..16], [0x21, 0x21, 0, 36]);
    assert_eq!(v6.len(), 16 + 36);
}

#[test]
fn mapped_addresses_are_unmapped_and_mixed_ones_become_ipv6() {
    let mapped = header(
        ProxyProtocol::V1,
        "[::ffff:203.0.113.7]:5555",
        "[::ffff:192.0.2.9]:443",
    );
    assert_eq!(mapped, header(ProxyProtocol::V1, CLIENT_V4, PROXY_V4));

    let half_mapped = header(ProxyProtocol::V2, CLIENT_V4, "[::ffff:192.0.2.9]:443");
    assert_eq!(half_mapped, header(ProxyProtocol::V2, CLIENT_V4, PROXY_V4));

    assert_eq!(
        header(ProxyProtocol::V1, CLIENT_V4, "[2001:db8::9]:443"),
        b"PROXY TCP6 ::ffff:203.0.113.7 2001:db8::9 5555 443\r\n"
    );
}

#[test]
fn another_implementation_reads_what_was_meant() {
    let addresses = [
        CLIENT_V4,
        PROXY_V4,
        "0.0.0.0:0",
        "255.255.255.255:65535",
        "[2001:db8::7]:1",
        "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535",
        "[::1]:80",
    ];
    for source in addresses {
        for destination in addresses {
            for form in [ProxyProtocol::V1, ProxyProtocol::V2] {
                let bytes = header(form, source, destination);
                let (read, length) = Oracle::parse(&bytes, ParseConfig::default()).unwrap();
                let read = read.proxied_address().unwrap();

                assert_eq!(length, bytes.len());
                let canonical = |address: SocketAddr| (address.ip().to_canonical(), address.port());
                assert_eq!(canonical(read.source), canonical(source.parse().unwrap()));
                assert_eq!(
                    canonical(read.destination),
                    canonical(destination.parse().unwrap())
                );
                assert!(form == ProxyProtocol::V2 || bytes.len() <= 107);
            }
        }
    }
}

#[test]
fn off_sends_nothing() {
    assert!(header(ProxyProtocol::Off, CLIENT_V4, PROXY_V4).is_empty());
}

#[test]
fn a_check_says_that_it_is_nobody() {
    for form in [ProxyProtocol::V1, ProxyProtocol::V2] {
        let header = form.of_nobody();
        let (read, length) = Oracle::parse(header, ParseConfig::default()).unwrap();
        assert_eq!(length, header.len());
        assert!(read.proxied_address().is_none(), "{form:?}");
    }
    assert!(ProxyProtocol::Off.of_nobody().is_empty());
}
