//! What two workers pay for what they share: a counter, which each message would write,
//! and what each connection asks once.

use std::hint::black_box;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use clap::Parser;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};
use phase_15::config::Config;
use phase_15::proxy::Proxy;

/// Each alone, then beside a thread that does the same to its own, and to the same.
pub fn share(c: &mut Criterion) {
    let mut group = c.benchmark_group("share");
    let arguments = [
        "proxy",
        "--backend=127.0.0.1:1",
        "--backend=127.0.0.1:2",
        "--rate-limit=1000000/s",
        "--rate-burst=1000000",
    ];
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime without drivers");
    let proxy = runtime.block_on(Proxy::new(Config::parse_from(arguments)));
    let proxy = proxy.expect("the configuration is right");
    let worker = || Arc::new(proxy.of_worker().expect("the same once more"));
    let (one, other) = (worker(), worker());

    let bytes = |worker: &Arc<Proxy>| {
        let counter = worker.metrics.bytes_from_clients.clone();
        move || counter.inc_by(612)
    };
    compare(
        &mut group,
        "counter",
        bytes(&one),
        bytes(&one),
        bytes(&other),
    );

    let client = IpAddr::from([192, 0, 2, 1]);
    let admit = |worker: &Arc<Proxy>| {
        let limits = Arc::clone(&worker.limits);
        move || drop(black_box(limits.admit(client)))
    };
    let alone = runtime.block_on(Proxy::new(Config::parse_from(arguments)));
    let alone = Arc::new(alone.expect("the configuration is right"));
    compare(
        &mut group,
        "limits",
        admit(&one),
        admit(&other),
        admit(&alone),
    );

    let pick = |worker: &Arc<Proxy>| {
        let worker = Arc::clone(worker);
        move || drop(black_box(worker.balancer.pick(&[])))
    };
    compare(
        &mut group,
        "balance",
        pick(&one),
        pick(&other),
        pick(&alone),
    );
}

/// `same` writes what `one` writes, `own` what nobody else does.
fn compare(
    group: &mut BenchmarkGroup<'_, WallTime>,
    what: &str,
    one: impl Fn(),
    same: impl Fn() + Sync,
    own: impl Fn() + Sync,
) {
    group.bench_function(format!("{what}, alone"), |b| b.iter(&one));
    beside(&own, || {
        group.bench_function(format!("{what}, each its own"), |b| b.iter(&one));
    });
    beside(&same, || {
        group.bench_function(format!("{what}, shared"), |b| b.iter(&one));
    });
}

/// Does `work` while another thread does `other` again and again.
fn beside(other: &(impl Fn() + Sync), work: impl FnOnce()) {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                other();
            }
        });
        work();
        done.store(true, Ordering::Relaxed);
    });
}
