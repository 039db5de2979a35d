//! What is read of a client, and what is left for later. Who is led where is in the
//! behaviours.

use testkit::hello::record;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::*;
use crate::identify::hello::MOST_BYTES;

/// What the bytes of a client are said to be, those that were read, and the client.
async fn read_of(sent: &[u8]) -> (&'static str, Vec<u8>, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut peer = TcpStream::connect(listener.local_addr().unwrap())
        .await
        .unwrap();
    let (mut client, _) = listener.accept().await.unwrap();
    let sent = sent.to_vec();
    tokio::spawn(async move { peer.write_all(&sent).await });

    let mut early = Vec::new();
    let found = peek(&mut client, &mut early, Duration::from_secs(100)).await;
    (found.unwrap().0, early, client)
}

#[tokio::test]
async fn no_client_makes_us_read_more_than_the_bound() {
    // One byte in each record: not undecided for ever, but for longer than anybody needs.
    let message = [&[1, 0, 0x3f, 0xff, 3, 3][..], &[0; 16_000]].concat();
    let sent: Vec<u8> = message.iter().flat_map(|byte| record(&[*byte])).collect();

    let (label, early, mut client) = read_of(&sent).await;
    assert_eq!(label, "too_large");
    assert_eq!(early.len(), MOST_BYTES);
    assert!(early.capacity() <= MOST_BYTES);

    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.unwrap();
    assert!([early, rest].concat() == sent);
}

#[tokio::test]
async fn what_is_settled_is_read_no_further() {
    let sent = [&b"GET / HTTP/1.1\r\n\r\n"[..], &[b'x'; 100_000]].concat();
    let (label, early, _client) = read_of(&sent).await;
    assert_eq!(label, "not_tls");
    assert!(early.len() <= USUAL_HELLO);
    assert!(sent.starts_with(&early));
}
