//! Station *connect*: what a pool that follows its load costs each client, whether it
//! has a connection for it or not.

use std::time::{Duration, Instant};

use criterion::Criterion;
use phase_16::connect::demand::{Demand, PoolSize};
use phase_16::connect::pool::Pool;

use crate::loopback::{join, listen, one_thread};

/// The rule alone, and a whole check-out: the look at the socket is a system call.
pub fn demand(c: &mut Criterion) {
    let mut group = c.benchmark_group("demand");

    group.bench_function("rule", |b| {
        let now = tokio::time::Instant::now();
        let mut demand = Demand::new(size(), MEMORY, now);
        b.iter(|| {
            demand.taken(now);
            let target = demand.target(now);
            demand.replaced();
            target
        });
    });

    group.bench_function("take, one waits", |b| {
        b.iter_custom(|count| {
            let runtime = one_thread();
            let mut total = Duration::ZERO;
            let mut left = count;
            while left > 0 {
                let batch = left.min(BATCH);
                total += runtime.block_on(take(batch));
                left -= batch;
            }
            total
        });
    });

    group.bench_function("take, none waits", |b| {
        let pool = Pool::default();
        pool.open(size(), MEMORY);
        b.iter(|| pool.take());
    });
}

async fn take(count: u64) -> Duration {
    let listener = listen().await;
    let pool = Pool::default();
    pool.open(size(), MEMORY);

    let mut ends = Vec::new();
    for _ in 0..count {
        let (near, far) = join(&listener).await;
        // A reset leaves no port behind in TIME-WAIT: there would soon be no free one.
        near.set_zero_linger().expect("the socket is alive");
        pool.put(near, tokio::time::Instant::now() + MEMORY);
        ends.push(far);
    }

    let start = Instant::now();
    for _ in 0..count {
        ends.push(pool.take().expect("as many wait"));
    }
    start.elapsed()
}

fn size() -> PoolSize {
    "auto".parse().expect("a size")
}

/// Longer than a batch takes.
const MEMORY: Duration = Duration::from_secs(60);

/// Few enough for the usual limit of descriptors.
const BATCH: u64 = 64;
