//! Station *identify*: finds the name in a ClientHello.

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion};
use phase_12::account::Record;
use phase_12::identify::identify;
use phase_12::proxy::Proxy;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::loopback::{join, listen, one_thread, proxy};

/// The station as a session calls it, and the system call alone that shows it the
/// bytes: the difference is the parser, the deadline and the notes for the log.
///
/// The station does not consume anything, so one connection serves all iterations.
pub fn hello(c: &mut Criterion) {
    let runtime = one_thread();
    let mut group = c.benchmark_group("hello");

    // Without padding, with the padding that browsers used to add, and with the key
    // share of a post-quantum exchange.
    let hellos = [
        ("126 B", client_hello(None)),
        ("517 B", client_hello(Some((PADDING, 517)))),
        ("1700 B", client_hello(Some((KEY_SHARE, 1700)))),
    ];
    for (name, bytes) in &hellos {
        let mut arrived = runtime.block_on(Arrived::new(bytes));
        group.bench_function(BenchmarkId::new("peek", name), |b| {
            b.iter_custom(|count| runtime.block_on(arrived.peek(count)));
        });
        group.bench_function(BenchmarkId::new("identify", name), |b| {
            b.iter_custom(|count| runtime.block_on(arrived.identify(count, Route::Name)));
        });
    }

    // Waits for the whole deadline, so few samples have to do.
    let get = b"GET / HTTP/1.1\r\nHost: a.example.com\r\n\r\n";
    let mut arrived = runtime.block_on(Arrived::new(get));
    group.sample_size(10);
    group.bench_function(BenchmarkId::new("identify", "GET"), |b| {
        b.iter_custom(|count| runtime.block_on(arrived.identify(count, Route::Default)));
    });
}

/// A client whose first bytes have arrived.
struct Arrived {
    record: Record,

    proxy: Arc<Proxy>,

    client: TcpStream,

    _peer: TcpStream,
}

/// Where it should be sent; the value is the number of backends there.
#[derive(Clone, Copy)]
enum Route {
    Default = 1,

    Name = 2,
}

impl Arrived {
    async fn new(bytes: &[u8]) -> Self {
        let route = "a.example.com=127.0.0.1:9";
        let flags = ["--backend", "127.0.0.1:9", "--sni", route, "--sni", route];
        let proxy = proxy(&flags).await;

        let (mut peer, client) = join(&listen().await).await;
        peer.write_all(bytes).await.expect("the proxy is there");
        client.readable().await.expect("the runtime runs");

        let address = client.peer_addr().expect("it is connected");
        Self {
            record: Record::new(Arc::clone(&proxy), address),
            proxy,
            client,
            _peer: peer,
        }
    }

    async fn identify(&mut self, count: u64, route: Route) -> Duration {
        let start = Instant::now();
        for _ in 0..count {
            let found = identify(&self.proxy, &self.client, &mut self.record).await;
            assert_eq!(found.expect("no end came").untried(&[]), route as u32);
        }
        start.elapsed()
    }

    async fn peek(&mut self, count: u64) -> Duration {
        let mut buffer = [0; 2048];
        let start = Instant::now();
        for _ in 0..count {
            let seen = self.client.peek(&mut buffer).await;
            assert!(seen.expect("no end came") > 0);
        }
        start.elapsed()
    }
}

/// A hello for `a.example.com`. With a filler, an extension of that kind brings the
/// record to that size.
fn client_hello(filler: Option<(u16, usize)>) -> Vec<u8> {
    let name = b"a.example.com";
    let names = [&[0], &vec16(name)[..]].concat();
    let sni = vec16(&vec16(&names));
    let mut extensions = [&[0, 0], &sni[..]].concat();
    extensions.extend([0, 43, 0, 5, 4, 3, 4, 3, 3]);
    extensions.extend([0, 16, 0, 5, 0, 3, 2, b'h', b'2']);

    if let Some((kind, size)) = filler {
        let missing = size - client_hello(None).len() - 4;
        extensions.extend(kind.to_be_bytes());
        extensions.extend(vec16(&vec![0; missing]));
    }

    let mut body = vec![3, 3];
    body.extend(0..32);
    body.push(32);
    body.extend([0; 32]);
    body.extend([0, 4, 0x13, 0x01, 0xc0, 0x2f, 1, 0]);
    body.extend(vec16(&extensions));

    // The length of a handshake message has 24 bits; the first are zero here.
    let message = [&[1, 0], &vec16(&body)[..]].concat();
    [&[22, 3, 1], &vec16(&message)[..]].concat()
}

fn vec16(content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len()).expect("it is short");
    [&length.to_be_bytes(), content].concat()
}

const PADDING: u16 = 21;

const KEY_SHARE: u16 = 51;
