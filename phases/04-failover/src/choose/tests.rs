use clap::Parser;
use tokio::net::{TcpListener, TcpSocket};

use super::*;
use crate::config::Config;

async fn proxy(backends: &[String], flags: &[&str]) -> Proxy {
    let backends = backends.iter().flat_map(|backend| ["--backend", backend]);
    let arguments = ["proxy"]
        .into_iter()
        .chain(backends)
        .chain(flags.iter().copied());
    Proxy::new(Config::parse_from(arguments)).await.unwrap()
}

/// Bound but not listening: the address is ours for as long as the socket lives,
/// and refuses.
fn closed() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap().to_string();
    (socket, address)
}

async fn open() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

#[tokio::test]
async fn each_try_goes_to_another_backend() {
    let (first, second, third) = (closed(), closed(), open().await);
    let proxy = proxy(&[first.1, second.1, third.1.clone()], &[]).await;

    let (backend, _stream) = reach(&proxy).await.unwrap();
    assert_eq!(backend.name, third.1);
    assert_eq!(
        proxy.backends[0].in_flight() + proxy.backends[1].in_flight(),
        0
    );
    assert_eq!(backend.in_flight(), 1);
}

#[tokio::test]
async fn no_more_backends_are_tried_than_allowed() {
    let (first, second, third) = (closed(), closed(), open().await);
    let proxy = proxy(&[first.1, second.1.clone(), third.1], &["--attempts", "2"]).await;

    let error = reach(&proxy).await.unwrap_err();
    assert!(error.to_string().contains(&second.1), "{error}");
}

#[tokio::test]
async fn failures_in_a_row_eject_and_the_others_serve() {
    let (dead, alive) = (closed(), open().await);
    let proxy = proxy(&[dead.1, alive.1.clone()], &["--fall", "2"]).await;

    for _ in 0..4 {
        assert_eq!(reach(&proxy).await.unwrap().0.name, alive.1);
    }
    assert!(proxy.backends[0].is_ejected());
    assert!(!proxy.backends[1].is_ejected());
}
