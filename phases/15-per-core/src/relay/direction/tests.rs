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

/// Sends so many bytes through a direction, and tells the most that one turn passed on.
async fn largest_turn(size: usize, splice: Splice) -> u64 {
    let (mut from, mut sender) = pair().await;
    let (mut to, mut receiver) = pair().await;
    let sending = thread::spawn(move || sender.write_all(&vec![0; size]));
    let receiving = thread::spawn(move || {
        let mut bytes = vec![0; MEBIBYTE];
        let mut count = 0;
        while let Ok(more @ 1..) = receiver.read(&mut bytes) {
            count += more;
        }
        count
    });

    let (mut direction, mut meter) = (Direction::new(Side::Client, Vec::new(), splice), meter());
    let mut largest = 0;
    let result = poll_fn(|cx| {
        let before = meter.bytes();
        let result = direction.poll(cx, &mut from, &mut to, &mut meter);
        largest = largest.max(meter.bytes() - before);
        result
    });
    result.await.unwrap();

    assert_eq!(direction.pending.capacity(), 0);
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
        assert!(largest > PIECE, "{splice:?}: {largest}");
    }
}
