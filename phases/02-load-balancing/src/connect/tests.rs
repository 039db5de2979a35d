use tokio::net::{TcpListener, TcpSocket};

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
