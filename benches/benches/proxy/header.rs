//! Station *announce*: encodes the PROXY header.

use std::hint::black_box;
use std::net::SocketAddr;

use criterion::{BenchmarkId, Criterion};
use phase_12::announce::header::{ProxyProtocol, encode};

/// Both forms for both families.
pub fn header(c: &mut Criterion) {
    let mut group = c.benchmark_group("header");

    let addresses = [
        ("IPv4", "203.0.113.7:5555", "192.0.2.9:443"),
        ("IPv6", "[2001:db8::7]:5555", "[2001:db8:1::9]:443"),
    ];
    for (form_name, form) in [("v1", ProxyProtocol::V1), ("v2", ProxyProtocol::V2)] {
        for (family, source, destination) in addresses {
            let parse = |text: &str| text.parse::<SocketAddr>().expect("it is an address");
            let (source, destination) = (parse(source), parse(destination));

            group.bench_function(BenchmarkId::new(form_name, family), |b| {
                b.iter(|| encode(form, black_box(source), black_box(destination)));
            });
        }
    }
}
