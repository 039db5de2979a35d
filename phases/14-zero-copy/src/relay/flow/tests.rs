use std::future::poll_fn;
use std::io::{Read, Write};
use std::net;
use std::thread;

use prometheus::IntCounter;
use tokio::net::TcpListener;

use super::*;

const MEBIBYTE: usize = 1 << 20;

/// A socket of the proxy, and its other end, which blocks.
async fn pair() -> (TcpStream, net::TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let outside = net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (listener.accept().await.unwrap().0, outside)
}

fn meter() -> Meter {
    Meter::new(IntCounter::new("bytes", "bytes").unwrap())
}

/// Sends so many bytes through a flow, and tells the most that one turn passed on.
async fn largest_turn(size: usize, splice: Splice) -> u64 {
    let (from, mut sender) = pair().await;
    let (to, mut receiver) = pair().await;
    let sending = thread::spawn(move || sender.write_all(&vec![0; size]));
    let receiving = thread::spawn(move || {
        let mut bytes = vec![0; MEBIBYTE];
        let mut count = 0;
        while let Ok(more @ 1..) = receiver.read(&mut bytes) {
            count += more;
        }
        count
    });

    let mut meter = meter();
    let mut flow = Flow::new(&from, &to, &mut meter, splice);
    let mut largest = 0;
    let result = poll_fn(|cx| {
        let before = flow.meter.bytes();
        let result = flow.poll(cx);
        largest = largest.max(flow.meter.bytes() - before);
        result
    });
    result.await.unwrap();

    assert_eq!(flow.pending.capacity(), 0);
    drop((from, to));
    sending.join().unwrap().unwrap();
    assert_eq!(receiving.join().unwrap(), size);
    largest
}

#[tokio::test]
async fn a_turn_is_bounded() {
    const PIECE: u64 = 64 * 1024;
    for splice in [Splice::Auto, Splice::Off] {
        let largest = largest_turn(64 * MEBIBYTE, splice).await;
        assert!(largest < TURN + PIECE, "{splice:?}: {largest}");
        assert!(largest >= PIECE, "{splice:?}: {largest}");
    }
}
