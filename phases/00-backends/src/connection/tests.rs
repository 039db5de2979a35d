use std::net::Ipv4Addr;

use tokio::net::{TcpListener, TcpStream};

use super::*;

/// The task of a connection is its future. A buffer held across an await would be part of it.
#[tokio::test]
async fn a_silent_client_costs_no_buffer() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let stream = TcpStream::connect(address).await.unwrap();

    let future = serve(stream, address, "hello");

    assert!(size_of_val(&future) < 2048, "{}", size_of_val(&future));
}
