//! What is read of a client, and what is left for later. Who is led where is in the
//! behaviours.

use std::sync::Arc;

use clap::Parser;
use testkit::hello::record;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::*;
use crate::config::Config;
use crate::identify::hello::MOST_BYTES;

/// The bytes that were read of a client that has sent these, and what is left.
async fn read_of(sent: &[u8]) -> (Vec<u8>, TcpStream, Arc<Proxy>) {
    let config = Config::parse_from([
        "proxy",
        "--backend=127.0.0.1:1",
        "--sni=a.example.com=127.0.0.1:2",
        "--sni-peek-timeout=100s",
    ]);
    let proxy = Arc::new(Proxy::new(config).await.unwrap());

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut peer = TcpStream::connect(listener.local_addr().unwrap())
        .await
        .unwrap();
    let (mut client, address) = listener.accept().await.unwrap();
    let sent = sent.to_vec();
    tokio::spawn(async move { peer.write_all(&sent).await });

    let mut record = Record::new(Arc::clone(&proxy), address);
    let (_, early) = identify(&proxy, Detect::Tls, &mut client, &mut record)
        .await
        .unwrap();
    (early, client, proxy)
}

fn counted(proxy: &Proxy, result: &str) -> u64 {
    let results = &proxy.metrics.peek_results;
    results.with_label_values(&[result]).get()
}

#[tokio::test]
async fn no_client_makes_us_read_more_than_the_bound() {
    // One byte in each record: not undecided for ever, but for longer than anybody needs.
    let message = [&[1, 0, 0x3f, 0xff, 3, 3][..], &[0; 16_000]].concat();
    let sent: Vec<u8> = message.iter().flat_map(|byte| record(&[*byte])).collect();

    let (early, mut client, proxy) = read_of(&sent).await;
    assert_eq!(counted(&proxy, "too_large"), 1);
    assert_eq!(early.len(), MOST_BYTES);
    assert!(early.capacity() <= MOST_BYTES);

    let mut rest = Vec::new();
    client.read_to_end(&mut rest).await.unwrap();
    assert!([early, rest].concat() == sent);
}

#[tokio::test]
async fn what_is_settled_is_read_no_further() {
    let sent = [&b"GET / HTTP/1.1\r\n\r\n"[..], &[b'x'; 100_000]].concat();
    let (early, _client, proxy) = read_of(&sent).await;
    assert_eq!(counted(&proxy, "not_tls"), 1);
    assert!(early.len() <= USUAL_HELLO);
    assert!(sent.starts_with(&early));
}
