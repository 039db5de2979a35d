//! Station *connect*: what a pooled connection saves a client.

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::Criterion;
use phase_12::proxy::Proxy;
use phase_12::{pool as phase_pool, session};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::task::yield_now;

use crate::loopback::{join, listen, proxy};

/// From the accept of a client that has asked already to the first byte of the
/// answer, through a whole session.
///
/// Several threads, as in the program: the pool is filled again while the client is
/// served, and on one thread the client would wait for that too.
pub fn pool(c: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let mut group = c.benchmark_group("pool");

    for (name, size) in [("fresh", "0"), ("pooled", "4")] {
        let (proxy, listener) = runtime.block_on(async {
            let backend = listen().await;
            let address = backend.local_addr().expect("it is bound").to_string();
            tokio::spawn(answer(backend));

            let proxy = proxy(&["--backend", &address, "--pool-size", size]).await;
            phase_pool::start(&proxy);
            (proxy, listen().await)
        });

        group.bench_function(name, |b| {
            b.iter_custom(|count| runtime.block_on(ask(&proxy, &listener, count)));
        });
    }
}

async fn ask(proxy: &Arc<Proxy>, listener: &TcpListener, count: u64) -> Duration {
    let mut total = Duration::ZERO;

    for _ in 0..count {
        while proxy.backends[0].pool.len() < proxy.config.pool_size {
            yield_now().await;
        }

        let (mut client, accepted) = join(listener).await;
        client.write_all(b"?").await.expect("the proxy is there");
        let address = accepted.peer_addr().expect("it is connected");

        let start = Instant::now();
        let session = tokio::spawn(session::run(Arc::clone(proxy), accepted, address));
        client.read_u8().await.expect("the backend answers");
        total += start.elapsed();

        // A reset leaves no port behind in TIME-WAIT: there would soon be no free one.
        client.set_zero_linger().expect("the socket is alive");
        drop(client);
        session.await.expect("a session does not panic");
    }

    total
}

/// Answers each connection once, then waits for its end.
async fn answer(listener: TcpListener) {
    async fn once(mut stream: TcpStream) -> std::io::Result<u8> {
        stream.set_nodelay(true)?;
        let question = stream.read_u8().await?;
        stream.write_u8(question).await?;
        stream.read_u8().await
    }

    loop {
        let (stream, _) = listener.accept().await.expect("descriptors are left");
        tokio::spawn(once(stream));
    }
}
