//! Which byte settles what, that pieces and records change nothing, and where the
//! answers differ from those of a TLS server.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use rustls::server::Acceptor;
use testkit::hello::{
    CAPTURED, HOST_NAME, extension, handshake, handshake_without_extensions, hello, hello_with,
    padding, record, server_name, server_names, ssl_v2,
};
use testkit::pieces;

use super::*;

/// What the bytes are, however they come.
fn read(bytes: &[u8]) -> Answer {
    pieces::answer(bytes, &Answer::NeedMore, || {
        let mut reader = Reader::default();
        move |bytes: &[u8]| reader.read(bytes)
    })
}

/// How many bytes settle it, and what they are.
fn settled(bytes: &[u8]) -> (usize, Answer) {
    let prefixes = (0..=bytes.len()).map(|end| (end, read(&bytes[..end])));
    prefixes
        .into_iter()
        .find(|(_, answer)| *answer != Answer::NeedMore)
        .unwrap()
}

#[test]
fn the_first_byte_that_settles_it_does() {
    use Answer::{Malformed, NotTls, SslV2, TooLarge};

    let mut id = hello("a.example.com");
    id[43] = 33;
    let in_record = |message: &[u8]| [&[22, 3, 1, 0x40, 0], message].concat();

    for (bytes, at, answer) in [
        (b"h".to_vec(), 1, NotTls),
        (b"GET / HTTP/1.1\r\n\r\n".to_vec(), 1, NotTls),
        (b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(), 1, NotTls),
        (b"PROXY TCP4".to_vec(), 1, NotTls),
        // An alert: TLS, but nothing to begin with.
        (b"\x15\x03\x01\x00\x02\x02\x28".to_vec(), 1, NotTls),
        (b"\x16\x16".to_vec(), 2, NotTls),
        (b"\x16\x03\x05".to_vec(), 3, NotTls),
        (b"\x16\x03\x01AAAA".to_vec(), 4, NotTls),
        (b"\x16\x03\x01\x40\x01".to_vec(), 5, NotTls),
        (b"\x16\x03\x01\x00\x00".to_vec(), 5, NotTls),
        // The hello of a server.
        (in_record(&[2]), 6, NotTls),
        (in_record(&[1, 0xff]), 7, TooLarge),
        (in_record(&[1, 0, 0x40]), 8, TooLarge),
        (in_record(&[1, 0, 0x3f, 0xff, 2]), 10, Malformed),
        (id, 44, Malformed),
        (in_record(&[1, 0, 0, 0]), 9, Malformed),
        (ssl_v2([0, 2]), 5, SslV2),
        (ssl_v2([3, 1]), 5, SslV2),
        (ssl_v2([1, 0]), 4, NotTls),
        ("\u{feff}<stream>".as_bytes().to_vec(), 3, NotTls),
    ] {
        assert_eq!(settled(&bytes), (at, answer), "{bytes:x?}");
    }
}

#[test]
fn what_can_still_become_a_hello_is_undecided() {
    for bytes in [
        &b""[..],
        b"\x16",
        b"\x16\x03\x01\x00\x40",
        b"\x16\x03\x01\x40\x00\x01\x00\x3f\xff\x03",
        b"\x80",
        b"\x80\x2e\x01",
    ] {
        assert_eq!(read(bytes), Answer::NeedMore, "{bytes:x?}");
    }
}

/// The message in records that end at `cuts`.
fn records(message: &[u8], cuts: &[usize]) -> Vec<u8> {
    let ends = cuts.iter().copied().chain([message.len()]);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    starts
        .zip(ends)
        .flat_map(|(start, end)| record(&message[start..end]))
        .collect()
}

fn named(bytes: &[u8]) -> Option<String> {
    match read(bytes) {
        Answer::Hello(hello) => hello.name,
        answer => panic!("{answer:?}"),
    }
}

#[test]
fn a_message_may_be_spread_over_records() {
    let message = handshake(&[server_name("a.example.com")]);
    let all: Vec<_> = (1..message.len()).collect();
    let eights: Vec<_> = (8..message.len()).step_by(8).collect();
    for cuts in [
        &[60][..],
        &[1],
        &[message.len() - 1],
        &[5, 105],
        &eights,
        &all,
    ] {
        let name = named(&records(&message, cuts));
        assert_eq!(name.as_deref(), Some("a.example.com"), "{cuts:?}");
    }
}

#[test]
fn between_its_records_nothing_else_may_come() {
    let message = handshake(&[server_name("a.example.com")]);
    let mut bytes = record(&message[..60]);
    bytes.extend(b"\x15\x03\x01\x00\x02\x02\x28");
    bytes.extend(record(&message[60..]));
    assert_eq!(settled(&bytes), (66, Answer::Malformed));
}

#[test]
fn what_one_client_can_make_us_hold_is_bounded() {
    let message = |size| {
        let name = server_name("a.example.com");
        let rest = size - handshake(&[name.clone(), padding(0)]).len();
        handshake(&[name, padding(rest)])
    };

    // The message: its header is 4 bytes, and its body has to be shorter than 2^14.
    let (largest, larger) = (message(4 + (1 << 14) - 1), message(4 + (1 << 14)));
    assert_eq!(
        named(&records(&largest, &[9000])).as_deref(),
        Some("a.example.com")
    );
    assert_eq!(settled(&records(&larger, &[9000])), (8, Answer::TooLarge));

    // The records: one for each byte makes six out of one.
    let one_by_one = |size| records(&message(size), &(1..size).collect::<Vec<_>>());
    assert_eq!(named(&one_by_one(5000)).as_deref(), Some("a.example.com"));
    let mut reader = Reader::default();
    let bytes = one_by_one(6000);
    assert_eq!(reader.read(&bytes[..MOST_BYTES - 1]), Answer::NeedMore);
    assert_eq!(reader.read(&bytes[..MOST_BYTES]), Answer::TooLarge);
    assert!(reader.message.capacity() <= MOST_BYTES / 2);
}

#[test]
fn names_are_normalised() {
    let named = |name| named(&hello(name));
    assert_eq!(named("A.Example.COM."), Some("a.example.com".into()));
    assert_eq!(named("a.example.com.."), Some("a.example.com.".into()));
    assert_eq!(named("[a.example.com]"), Some("[a.example.com]".into()));
    assert_eq!(named("192.0.2.1"), None);
    assert_eq!(named("2001:db8::1"), None);
}

#[test]
fn without_a_name_there_is_none() {
    assert_eq!(named(&hello_with(&[])), None);
    assert_eq!(named(&record(&handshake_without_extensions())), None);
}

#[test]
fn a_name_of_unknown_type_is_skipped() {
    let names = server_names(&[(1, "zz"), (HOST_NAME, "a.example.com")]);
    assert_eq!(named(&hello_with(&[names])), Some("a.example.com".into()));
}

#[test]
fn what_comes_twice_is_malformed_whatever_the_order() {
    let (a, b) = (server_name("a"), server_name("b"));
    let list = |names: [&str; 2]| server_names(&names.map(|name| (HOST_NAME, name)));
    for extensions in [
        vec![a.clone(), b.clone()],
        vec![b, a],
        vec![list(["a", "b"])],
        vec![list(["b", "a"])],
        // With the one that the builder adds these are two.
        vec![extension(16, &[0, 3, 2, b'h', b'3'])],
    ] {
        assert_eq!(read(&hello_with(&extensions)), Answer::Malformed);
    }
}

#[test]
fn nonsense_is_malformed() {
    let long = "a".repeat(254);
    for name in ["", ".", "a\0b", "a\x1b[31m", &long] {
        assert_eq!(read(&hello(name)), Answer::Malformed, "{name:?}");
    }

    // An extension that says it is longer than it is, before the name and after it.
    let (name, bad) = (server_name("a"), extension(13, &[0, 9, 1]));
    assert_eq!(
        read(&hello_with(&[bad.clone(), name.clone()])),
        Answer::Malformed
    );
    assert_eq!(read(&hello_with(&[name, bad])), Answer::Malformed);

    // A message that says so, or that goes on after the extensions.
    let mut message = handshake_without_extensions();
    message.extend([0, 9, 1]);
    message[3] += 3;
    assert_eq!(read(&record(&message)), Answer::Malformed);
    let mut message = handshake(&[]);
    message.push(0);
    message[3] += 1;
    assert_eq!(read(&record(&message)), Answer::Malformed);
}

#[test]
fn protocols_and_an_encrypted_hello_are_noted() {
    let offer = extension(16, b"\x00\x0c\x02h2\x08http/1.1");
    let protocols = [b"h2".to_vec(), b"http/1.1".to_vec()];
    let hello = |extensions: &[u8]| {
        let mut message = handshake_without_extensions();
        let length = u16::try_from(extensions.len()).unwrap();
        message.extend([&length.to_be_bytes(), extensions].concat());
        let length = u16::try_from(message.len() - 4).unwrap();
        message[2..4].copy_from_slice(&length.to_be_bytes());
        match read(&record(&message)) {
            Answer::Hello(hello) => hello,
            answer => panic!("{answer:?}"),
        }
    };

    assert_eq!(hello(&offer).alpn, protocols);
    assert!(!hello(&offer).ech);
    assert!(hello(&[offer, extension(0xfe0d, &[0; 201])].concat()).ech);
}

/// What the server of rustls says to the same bytes; `None` while it waits. It does
/// not tell about an encrypted hello.
fn rustls(mut bytes: &[u8]) -> Option<Result<Hello, String>> {
    let mut acceptor = Acceptor::default();
    while !bytes.is_empty() {
        acceptor.read_tls(&mut bytes).unwrap();
        match acceptor.accept() {
            Ok(None) => {}
            Ok(Some(accepted)) => {
                let hello = accepted.client_hello();
                let alpn = hello.alpn().into_iter().flatten();
                return Some(Ok(Hello {
                    name: hello.server_name().map(Into::into),
                    alpn: alpn.map(<[u8]>::to_vec).collect(),
                    ech: false,
                }));
            }
            Err((error, _)) => return Some(Err(error.to_string())),
        }
    }
    None
}

#[test]
fn each_prefix_of_a_real_hello_is_decided_as_rustls_does() {
    for (client, bytes) in CAPTURED {
        for end in 0..bytes.len() {
            let at_once = Reader::default().read(&bytes[..end]);
            assert_eq!(at_once, Answer::NeedMore, "{client}, {end}");
            assert_eq!(rustls(&bytes[..end]), None, "{client}, {end}");
        }
        // And byte by byte.
        let all_but_one = &bytes[..bytes.len() - 1];
        assert_eq!(read(all_but_one), Answer::NeedMore, "{client}");

        let Answer::Hello(hello) = read(bytes) else {
            panic!("{client}: {:?}", read(bytes));
        };
        let name = (client != "openssl, no name").then_some("a.example.com");
        assert_eq!(hello.name.as_deref(), name, "{client}");
        assert_eq!(hello.ech, client == "chromium", "{client}");
        let hello = Hello {
            ech: false,
            ..hello
        };
        assert_eq!(rustls(bytes), Some(Ok(hello)), "{client}");
    }
}

/// Where the answers differ, and why ours is right for somebody who only passes on.
#[test]
fn differences_from_rustls() {
    fn theirs(bytes: &[u8]) -> Option<(usize, String)> {
        let mut ends = 1..=bytes.len();
        ends.find_map(|end| Some((end, rustls(&bytes[..end])?.unwrap_err())))
    }
    let corrupt = "received corrupt message of type InvalidContentType".to_owned();
    let needs = "peer is incompatible: SignatureAlgorithmsExtensionRequired".to_owned();

    // None: whoever does not speak TLS is known by the first byte.
    let get = b"GET / HTTP/1.1\r\n\r\n";
    assert_eq!(theirs(get), Some((1, corrupt.clone())));

    // Nobody has to look at headers before what they announce is there, except
    // somebody who makes others wait.
    for early in [
        &b"\x16\x03\x05\x00\x40"[..],
        b"\x16\x03\x01\x41\x41",
        b"\x16\x03\x01\x00\x40\x02",
        b"\x16\x03\x01\x40\x00\x01\xff\xff\xff",
    ] {
        assert_eq!(theirs(early), None);
        assert_ne!(read(early), Answer::NeedMore);
    }

    // They do not speak SSL 2. Some backend may, so it is named in the metrics.
    assert_eq!(theirs(&ssl_v2([0, 2])), Some((1, corrupt)));
    assert_eq!(settled(&ssl_v2([0, 2])), (5, Answer::SslV2));

    // What a server needs to serve a client is nothing that a passenger needs.
    let old = hello("a.example.com");
    assert_eq!(theirs(&old), Some((old.len(), needs)));
    assert_eq!(named(&old).as_deref(), Some("a.example.com"));
}

/// The handshake message of a real hello.
fn message() -> impl Strategy<Value = Vec<u8>> {
    select(&CAPTURED[..]).prop_map(|(_, mut bytes)| {
        let mut message = Vec::new();
        while let [_, _, _, high, low, rest @ ..] = bytes {
            let (content, next) = rest.split_at(u16::from_be_bytes([*high, *low]).into());
            message.extend(content);
            bytes = next;
        }
        message
    })
}

fn places(at_most: usize) -> impl Strategy<Value = Vec<Index>> {
    vec(any::<Index>(), 0..at_most)
}

fn cuts(places: &[Index], length: usize) -> Vec<usize> {
    let cuts: BTreeSet<_> = places.iter().map(|place| place.index(length)).collect();
    cuts.into_iter().filter(|cut| *cut > 0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn records_and_segments_change_nothing(
        message in message(), ends in places(40), segments in places(20),
    ) {
        let whole = read(&record(&message));
        prop_assert!(matches!(whole, Answer::Hello(_)));

        let bytes = records(&message, &cuts(&ends, message.len()));
        prop_assert_eq!(&read(&bytes), &whole);

        let mut reader = Reader::default();
        for end in cuts(&segments, bytes.len()) {
            prop_assert_eq!(reader.read(&bytes[..end]), Answer::NeedMore);
        }
        prop_assert_eq!(reader.read(&bytes), whole);
    }

    #[test]
    fn anything_has_one_answer(bytes in vec(any::<u8>(), 0..200)) {
        read(&bytes);
        read(&[b"\x16\x03\x01\x01\x00", &bytes[..]].concat());
        read(&[b"\x16\x03\x01\x01\x00\x01\x00\x00", &bytes[..]].concat());
    }

    #[test]
    fn who_is_understood_by_both_is_understood_alike(
        message in message(), ends in places(3), changes in vec(any::<(Index, u8)>(), 1..4),
    ) {
        let mut bytes = records(&message, &cuts(&ends, message.len()));
        for (place, byte) in changes {
            *place.get_mut(&mut bytes) = byte;
        }
        if let (Answer::Hello(ours), Some(Ok(theirs))) = (read(&bytes), rustls(&bytes)) {
            prop_assert_eq!(Hello { ech: false, ..ours }, theirs);
        }
    }
}

/// Inputs that are worth keeping, also those that the fuzzer has found.
#[test]
fn each_input_of_the_corpus_has_one_answer() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/hello");
    let mut count = 0;
    for file in fs::read_dir(corpus).unwrap() {
        read(&fs::read(file.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count > 0);
}
