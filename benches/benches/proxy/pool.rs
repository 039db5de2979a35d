//! Station *connect*: what a pooled connection saves a client.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::Criterion;
use phase_12::connect::refill;
use phase_12::session;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::loopback::{join, listen, one_thread, proxy};

/// From the accept of a client that has asked already to the first byte of the
/// answer, through a whole session.
pub fn pool(c: &mut Criterion) {
    let mut group = c.benchmark_group("pool");

    for (name, pooled) in [("fresh", false), ("pooled", true)] {
        group.bench_function(name, |b| {
            b.iter_custom(|count| {
                let mut total = Duration::ZERO;
                let mut left = count;
                while left > 0 {
                    let size = left.min(BATCH);
                    // What keeps the pool full ends only with its runtime.
                    total += one_thread().block_on(ask(size, pooled));
                    left -= size;
                }
                total
            });
        });
    }
}

/// The time that `count` clients wait, one after the other.
async fn ask(count: u64, pooled: bool) -> Duration {
    let backend = listen().await;
    let address = backend.local_addr().expect("it is bound").to_string();
    let backend = tokio::spawn(answer(backend, count));

    let pool_size = if pooled { count } else { 0 }.to_string();
    let proxy = proxy(&["--backend", &address, "--pool-size", &pool_size]).await;
    if pooled {
        // Once the backend has all its connections it refuses more. Otherwise the
        // first client would wait while the one thread fills the pool again.
        let config = &proxy.config;
        refill::start(&config.pool, config.connect.timeout, &proxy.backends);
        backend.await.expect("the backend does not panic");
    }

    let listener = listen().await;
    let mut total = Duration::ZERO;

    for _ in 0..count {
        let (mut client, accepted) = join(&listener).await;
        client.write_all(b"?").await.expect("the proxy is there");
        let address = accepted.peer_addr().expect("it is connected");

        let start = Instant::now();
        let session = tokio::spawn(session::run(Arc::clone(&proxy), accepted, address));
        client.read_u8().await.expect("the backend answers");
        total += start.elapsed();

        // A reset leaves no port behind in TIME-WAIT: there would soon be no free one.
        client.set_zero_linger().expect("the socket is alive");
        drop(client);
        session.await.expect("a session does not panic");
    }

    total
}

/// Takes that many connections, and answers each once.
async fn answer(listener: TcpListener, count: u64) {
    for _ in 0..count {
        let (stream, _) = listener.accept().await.expect("descriptors are left");
        tokio::spawn(answer_one(stream));
    }
}

async fn answer_one(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let question = stream.read_u8().await?;
    stream.write_u8(question).await?;

    // Until the proxy has closed it.
    stream.read_u8().await.map(drop)
}

/// Few enough for the usual limit of descriptors.
const BATCH: u64 = 64;
