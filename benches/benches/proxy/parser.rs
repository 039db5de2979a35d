//! The parser of *identify* since phase 13, against what others offer for the same.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion};
use phase_13::identify::hello::{Answer, Reader};
use rustls::server::Acceptor;
use testkit::hello::CAPTURED;
use tls_parser::{TlsMessage, TlsMessageHandshake, parse_tls_plaintext};

/// What Chromium sends in one record, and OpenSSL in two, to three readers: ours,
/// `tls-parser` alone as phase 10 has it, which knows one record only, and the server
/// of rustls. Then byte by byte: `tls-parser` begins anew each time, but looks at the
/// first five bytes only, until the record is there.
pub fn parser(c: &mut Criterion) {
    let mut group = c.benchmark_group("parser");
    let of = |who| CAPTURED.into_iter().find(|(name, _)| *name == who);
    let one = of("chromium").expect("it has been captured").1;
    let two = of("openssl, two records").expect("it has been captured").1;

    for (name, bytes) in [("one record", one), ("two records", two)] {
        group.bench_function(BenchmarkId::new("ours", name), |b| {
            b.iter(|| assert!(matches!(whole(black_box(bytes)), Answer::Hello(_))));
        });
        group.bench_function(BenchmarkId::new("rustls", name), |b| {
            b.iter(|| assert!(accepted(black_box(bytes))));
        });
    }
    group.bench_function(BenchmarkId::new("tls-parser", "one record"), |b| {
        b.iter(|| assert!(parsed(black_box(one))));
    });

    group.bench_function(BenchmarkId::new("ours", "byte by byte"), |b| {
        b.iter(|| {
            let mut reader = Reader::default();
            let ends = 1..=one.len();
            let answers = ends.map(|end| reader.read(black_box(&one[..end])));
            let found = answers.filter(|answer| matches!(answer, Answer::Hello(_)));
            assert_eq!(found.count(), 1);
        });
    });
    group.bench_function(BenchmarkId::new("tls-parser", "byte by byte"), |b| {
        b.iter(|| {
            let ends = 1..=one.len();
            let found = ends.filter(|end| parsed(black_box(&one[..*end])));
            assert_eq!(found.count(), 1);
        });
    });

    let get = b"GET / HTTP/1.1\r\nHost: a.example.com\r\n\r\n";
    group.bench_function(BenchmarkId::new("ours", "GET"), |b| {
        b.iter(|| assert_eq!(whole(black_box(get)), Answer::NotTls));
    });
    group.finish();
}

fn whole(bytes: &[u8]) -> Answer {
    Reader::default().read(bytes)
}

fn parsed(bytes: &[u8]) -> bool {
    let Ok((_, record)) = parse_tls_plaintext(bytes) else {
        return false;
    };
    let Some(TlsMessage::Handshake(TlsMessageHandshake::ClientHello(hello))) = record.msg.first()
    else {
        return false;
    };
    let extensions = hello.ext.unwrap_or_default();
    tls_parser::parse_tls_client_hello_extensions(extensions).is_ok()
}

fn accepted(mut bytes: &[u8]) -> bool {
    let mut acceptor = Acceptor::default();
    while !bytes.is_empty() {
        let read = acceptor.read_tls(&mut bytes);
        assert!(read.is_ok());
        if let Ok(Some(accepted)) = acceptor.accept() {
            return accepted.client_hello().server_name().is_some();
        }
    }
    false
}
