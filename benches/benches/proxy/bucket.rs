//! Station *admit*: the token bucket of a client's address.

use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU32;
use std::time::Instant;

use criterion::Criterion;
use phase_12::admit::rate::{Buckets, RateLimit};

/// One address again and again, and a flood in which none comes twice: then both
/// generations of the table are full, and the old one is forgotten every 32,768
/// connections. That turn is in the figure.
pub fn bucket(c: &mut Criterion) {
    let mut group = c.benchmark_group("bucket");

    for (name, step) in [("same address", 0), ("many addresses", 1)] {
        // The clock stands still: only the table is measured.
        let now = Instant::now();
        let rate = RateLimit::PerSecond(NonZeroU32::MIN);
        let mut buckets = Buckets::new(rate, 1, now).expect("there is a limit");

        let mut address = 0;
        let mut take = || {
            address += step;
            buckets.take(IpAddr::V4(Ipv4Addr::from_bits(address)), now)
        };
        for _ in 0..100_000 {
            take();
        }

        group.bench_function(name, |b| b.iter(&mut take));
    }
}
