//! The hello is built here by the layout of RFC 8446, section 4.1.2; whole
//! handshakes with real TLS peers are in the behaviours.

use super::*;

fn vec8(content: &[u8]) -> Vec<u8> {
    [&[u8::try_from(content.len()).unwrap()], content].concat()
}

fn vec16(content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).unwrap().to_be_bytes();
    [&length[..], content].concat()
}

fn sni(names: &[&[u8]]) -> Vec<u8> {
    let list: Vec<u8> = names
        .iter()
        .flat_map(|name| [vec![0], vec16(name)].concat())
        .collect();
    [&[0, 0], &vec16(&vec16(&list))[..]].concat()
}

const VERSIONS: [u8; 9] = [0, 43, 0, 5, 4, 3, 4, 3, 3];

const GREASE: [u8; 4] = [0x0a, 0x0a, 0, 0];

/// A record with a hello; without extensions if `None`.
fn hello(extensions: Option<&[u8]>) -> Vec<u8> {
    let mut body = [&[3, 3][..], &[7; 32], &vec8(&[0; 32])].concat();
    body.extend(vec16(&[0x13, 0x01]));
    body.extend(vec8(&[0]));
    body.extend(extensions.map(vec16).unwrap_or_default());

    // The length of a handshake message has 24 bits; the first are zero here.
    let message = [&[1, 0][..], &vec16(&body)].concat();
    [&[22, 3, 1][..], &vec16(&message)].concat()
}

fn found(extensions: &[u8]) -> Option<Found> {
    read_hello(&hello(Some(extensions)))
}

fn name(text: &str) -> Option<Found> {
    Some(Found::Name(text.to_owned()))
}

#[test]
fn a_name_is_found_between_other_extensions() {
    let extensions = [&GREASE[..], &sni(&[b"a.example.com"]), &VERSIONS].concat();
    assert_eq!(found(&extensions), name("a.example.com"));
}

#[test]
fn each_prefix_of_a_hello_is_undecided() {
    let hello = hello(Some(&sni(&[b"a.example.com"])));
    for end in 0..hello.len() {
        assert_eq!(read_hello(&hello[..end]), None, "{end}");
    }
    assert_eq!(read_hello(&hello), name("a.example.com"));
}

#[test]
fn names_are_normalised() {
    assert_eq!(found(&sni(&[b"A.Example.COM."])), name("a.example.com"));
    assert_eq!(found(&sni(&[b"a.example.com.."])), name("a.example.com."));
    assert_eq!(found(&sni(&[b"[a.example.com]"])), name("[a.example.com]"));
}

#[test]
fn without_a_name_there_is_none() {
    assert_eq!(read_hello(&hello(None)), Some(Found::NoName));
    assert_eq!(found(&VERSIONS), Some(Found::NoName));
    assert_eq!(found(&sni(&[b"192.0.2.1"])), Some(Found::NoName));
    assert_eq!(found(&sni(&[b"2001:db8::1"])), Some(Found::NoName));
}

#[test]
fn two_names_are_none_whatever_their_order() {
    let (a, b) = (sni(&[b"a"]), sni(&[b"b"]));
    for extensions in [
        [&a[..], &b].concat(),
        [&b[..], &a].concat(),
        sni(&[b"a", b"b"]),
        sni(&[b"b", b"a"]),
    ] {
        assert_eq!(found(&extensions), Some(Found::Malformed));
    }
}

#[test]
fn nonsense_is_malformed() {
    assert_eq!(found(&sni(&[b""])), Some(Found::Malformed));
    assert_eq!(found(&sni(&[b"."])), Some(Found::Malformed));
    assert_eq!(found(&sni(&[b"a\0b"])), Some(Found::Malformed));
    assert_eq!(found(&sni(&[b"a\x1b[31m"])), Some(Found::Malformed));
    assert_eq!(found(&sni(&[&[b'a'; 254]])), Some(Found::Malformed));
    // An extension that says it is longer than the list it stands in.
    assert_eq!(found(&[0, 43, 0, 9, 1]), Some(Found::Malformed));
}

#[test]
fn what_is_not_tls_is_undecided_too() {
    for bytes in [
        &b"GET / HTTP/1.1\r\nHost: a.example.com\r\n\r\n"[..],
        b"POST / HTTP/1.1\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x15\x03\x01\x00\x02\x02\x28",
    ] {
        assert_eq!(read_hello(bytes), None);
    }
}
