use std::thread;

use testkit::door::{Blackhole, Door};
use tokio::net::TcpListener;

use super::*;

#[tokio::test]
async fn a_connection_that_meets_itself_is_refused_and_keeps_no_port() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let own = socket.local_addr().unwrap();

    // What the kernel does by chance, if the port is one of those that it lends.
    let stream = socket.connect(own).await.unwrap();

    let error = settle(stream).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    TcpSocket::new_v4().unwrap().bind(own).unwrap();
}

#[tokio::test]
async fn a_connection_to_somebody_is_kept() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stream = TcpStream::connect(address).await.unwrap();
    assert_eq!(settle(stream).unwrap().peer_addr().unwrap(), address);
}

const SECOND: Duration = Duration::from_secs(1);

async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

fn backend(addresses: &[SocketAddr]) -> Backend {
    Backend::new("a".to_owned(), addresses.to_vec(), 1)
}

#[tokio::test]
async fn a_knock_tells_who_listens_and_is_not_heard() {
    let (listener, open) = listener().await;
    let closed = Door::closed();

    for _ in 0..20 {
        knock(&backend(&[open]), SECOND).await.unwrap();
    }
    let refused = knock(&backend(&[closed.addr()]), SECOND).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);

    // Who comes after all the knocks is the first one to be accepted.
    let client = TcpStream::connect(open).await.unwrap();
    let (_, peer) = listener.accept().await.unwrap();
    assert_eq!(peer, client.local_addr().unwrap());
}

#[tokio::test]
async fn each_address_gets_a_part_of_the_time_and_the_good_one_is_remembered() {
    let (_listener, open) = listener().await;
    let hole = thread::spawn(Blackhole::open).join().unwrap();
    let backend = backend(&[hole.addr(), open]);

    knock(&backend, SECOND).await.unwrap();
    assert_eq!(backend.in_order(), [open, hole.addr()]);
}

#[tokio::test]
async fn silence_has_an_end() {
    let hole = thread::spawn(Blackhole::open).join().unwrap();
    let limit = Duration::from_millis(100);
    let error = knock(&backend(&[hole.addr()]), limit).await.unwrap_err();
    assert_eq!(error.to_string(), "no answer within 100 ms");
}
