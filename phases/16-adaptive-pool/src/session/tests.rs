//! A connection can end in four ways, and each must give back what it held.

use clap::Parser;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket};
use tokio::task::JoinHandle;

use super::*;
use crate::config::Config;

struct Scene {
    proxy: Arc<Proxy>,

    backend: TcpListener,

    client: TcpStream,

    session: JoinHandle<()>,
}

/// A client whose session has begun, and a backend that has not accepted yet.
async fn scene() -> Scene {
    let backend = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (client, session, proxy) = begin(&backend.local_addr().unwrap().to_string()).await;
    Scene {
        proxy,
        backend,
        client,
        session,
    }
}

async fn begin(backend: &str) -> (TcpStream, JoinHandle<()>, Arc<Proxy>) {
    let config = Config::parse_from(["proxy", "--backend", backend]);
    let proxy = Arc::new(Proxy::new(config).await.unwrap());

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap())
        .await
        .unwrap();
    let (accepted, peer) = listener.accept().await.unwrap();

    let session = tokio::spawn(run(Arc::clone(&proxy), Detect::Tls, accepted, peer));
    (client, session, proxy)
}

fn in_flight(proxy: &Proxy) -> usize {
    proxy.backends[0].in_flight()
}

#[tokio::test]
async fn a_refused_connection_is_given_back() {
    // Bound but not listening: the address is ours, and refuses.
    let closed = TcpSocket::new_v4().unwrap();
    closed.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let (_client, session, proxy) = begin(&closed.local_addr().unwrap().to_string()).await;

    session.await.unwrap();
    assert_eq!(in_flight(&proxy), 0);
}

#[tokio::test]
async fn a_client_that_leaves_is_given_back() {
    let mut scene = scene().await;
    let (mut peer, _) = scene.backend.accept().await.unwrap();
    assert_eq!(in_flight(&scene.proxy), 1);

    scene.client.shutdown().await.unwrap();
    assert_eq!(peer.read(&mut [0; 1]).await.unwrap(), 0);
    drop(peer);

    scene.session.await.unwrap();
    assert_eq!(in_flight(&scene.proxy), 0);
}

#[tokio::test]
async fn an_error_while_relaying_is_given_back() {
    let mut scene = scene().await;
    let (mut peer, _) = scene.backend.accept().await.unwrap();
    scene.client.write_all(b"x").await.unwrap();
    peer.read_exact(&mut [0; 1]).await.unwrap();
    assert_eq!(in_flight(&scene.proxy), 1);

    // Reset, not closed: the next read of the proxy is an error.
    peer.set_zero_linger().unwrap();
    drop(peer);

    scene.session.await.unwrap();
    assert_eq!(in_flight(&scene.proxy), 0);
}

#[tokio::test]
async fn an_aborted_task_is_given_back() {
    let scene = scene().await;
    let _peer = scene.backend.accept().await.unwrap();
    assert_eq!(in_flight(&scene.proxy), 1);

    scene.session.abort();
    assert!(scene.session.await.unwrap_err().is_cancelled());
    assert_eq!(in_flight(&scene.proxy), 0);
}

/// An idle client costs its task, so what nobody needs while relaying must not be
/// in it. With the way to the backend in it, it is over this size.
#[tokio::test]
async fn a_session_is_small() {
    let config = Config::parse_from(["proxy", "--backend", "127.0.0.1:9"]);
    let proxy = Arc::new(Proxy::new(config).await.unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = TcpStream::connect(address).await.unwrap();

    let size = size_of_val(&run(proxy, Detect::Tls, client, address));
    assert!(size <= 1152, "{size} bytes");
}
