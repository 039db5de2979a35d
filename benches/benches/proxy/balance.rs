//! Station *choose*: picks a backend.

use std::sync::Arc;

use criterion::{BenchmarkId, Criterion};
use fastrand::Rng;
use phase_12::backend::Backend;
use phase_12::choose::balance::{Balance, Balancer};

/// Each way with a few and with many backends, and with every second one down.
/// What is picked is given back at once, which is in the figure.
pub fn balance(c: &mut Criterion) {
    let mut group = c.benchmark_group("balance");

    for (name, way) in [
        ("round-robin", Balance::RoundRobin),
        ("random", Balance::Random),
        ("weighted", Balance::Weighted),
        ("least-connections", Balance::LeastConnections),
    ] {
        for (size, half_down) in [
            (3, false),
            (100, false),
            (10_000, false),
            (100, true),
            (10_000, true),
        ] {
            let balancer = balancer(way, size, half_down);
            let state = if half_down { ", half down" } else { "" };

            group.bench_function(BenchmarkId::new(name, format!("{size}{state}")), |b| {
                b.iter(|| balancer.pick(&[]).expect("some are up"));
            });
        }
    }
}

fn balancer(way: Balance, size: usize, half_down: bool) -> Balancer {
    let backends = (0..size).map(|n| {
        let weight = [1, 2, 3][n % 3];
        let backend = Backend::new(format!("backend-{n}"), vec![], weight);
        backend.set_up(!half_down || n % 2 == 0);
        Arc::new(backend)
    });
    Balancer::new(way, backends.collect(), Rng::with_seed(1))
}
