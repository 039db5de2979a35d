//! Station *relay*: passes bytes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use criterion::{BenchmarkId, Criterion, Throughput};
use phase_12::account::Record;
use phase_12::relay::relay as relay_of_the_phase;
use phase_14::account::Record as Record14;
use phase_14::config::Config as Config14;
use phase_14::proxy::Proxy as Proxy14;
use phase_14::relay::relay as relay_by_hand;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::TcpStream;

use crate::loopback::{join, listen, one_thread, proxy};

/// The relay of phase 12 next to the bare copy that it is made of: the difference is
/// what counting the bytes and watching the clock cost. Then that of phase 14, which
/// copies through one buffer, or not at all.
pub fn relay(c: &mut Criterion) {
    let runtime = one_thread();
    let mut group = c.benchmark_group("relay");

    for (name, size) in [("1 KiB", 1 << 10), ("64 KiB", 1 << 16), ("16 MiB", 1 << 24)] {
        group.throughput(Throughput::Bytes(size as u64));
        let message = vec![0; size];

        for (way_name, way) in [
            ("bare", Way::Bare),
            ("relay", Way::Relay),
            ("buffer", Way::Splice("off")),
            ("pipe", Way::Splice("auto")),
        ] {
            let mut client = runtime.block_on(through(way, size));

            group.bench_function(BenchmarkId::new(way_name, name), |b| {
                b.iter_custom(|count| runtime.block_on(send(&mut client, &message, count)));
            });
        }
    }
}

#[derive(Clone, Copy)]
enum Way {
    Bare,

    Relay,

    /// Phase 14, with this for `--splice`.
    Splice(&'static str),
}

/// A client whose bytes go this way to a backend.
async fn through(way: Way, size: usize) -> TcpStream {
    let (client, mut accepted) = join(&listen().await).await;
    let (mut stream, backend) = join(&listen().await).await;
    tokio::spawn(acknowledge(backend, size));

    match way {
        Way::Bare => {
            tokio::spawn(async move { copy_bidirectional(&mut accepted, &mut stream).await });
        }
        Way::Relay => {
            let proxy = proxy(&["--backend", "127.0.0.1:9"]).await;
            let address = accepted.peer_addr().expect("it is connected");
            let record = Record::new(Arc::clone(&proxy), address);

            tokio::spawn(async move {
                relay_of_the_phase(&proxy, accepted, stream, &proxy.backends[0], &record).await
            });
        }
        Way::Splice(how) => {
            let flags = ["proxy", "--backend", "127.0.0.1:9", "--splice", how];
            let proxy = Proxy14::new(Config14::parse_from(flags)).await;
            let proxy = Arc::new(proxy.expect("the backend is an address"));
            let address = accepted.peer_addr().expect("it is connected");
            let mut record = Record14::new(Arc::clone(&proxy), address);

            tokio::spawn(async move {
                let backend = &proxy.backends[0];
                relay_by_hand(&proxy, &accepted, Vec::new(), &stream, backend, &mut record).await
            });
        }
    }
    client
}

/// Sends the message and waits until the backend has it all, `count` times.
async fn send(client: &mut TcpStream, message: &[u8], count: u64) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        client.write_all(message).await.expect("the relay runs");
        client.read_u8().await.expect("the backend answers");
    }
    start.elapsed()
}

/// A backend that sends one byte for each `size` bytes that it gets.
async fn acknowledge(mut stream: TcpStream, size: usize) -> std::io::Result<()> {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let mut left = size;
        while left > 0 {
            let most = left.min(buffer.len());
            match stream.read(&mut buffer[..most]).await? {
                0 => return Ok(()),
                count => left -= count,
            }
        }
        stream.write_u8(0).await?;
    }
}
