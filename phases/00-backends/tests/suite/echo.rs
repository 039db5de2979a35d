use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::{Client, answer, in_time};

#[tokio::test]
async fn bytes_come_back_as_soon_as_they_cannot_be_anything_else() {
    for bytes in ["h", "\n", "PING", "PROXY?", "GETx", "\u{16}\u{3}\u{1}"] {
        let mut client = Client::new().await;
        client.send(bytes).await;
        client.expect(bytes).await;
        // Now it is decided.
        client.send("GET / HTTP/1.1\r\n\r\n").await;
        client.expect("GET / HTTP/1.1\r\n\r\n").await;
    }
}

#[tokio::test]
async fn after_the_clients_end_comes_everything_and_then_the_backends_end() {
    for bytes in ["", "hello", "G", "PROXY TCP4 203.0.113.7", "\r\n\r\n"] {
        let mut client = Client::new().await;
        client.send(bytes).await;
        client.end().await;
        client.expect_last(bytes).await;
    }
}

#[tokio::test]
async fn more_than_any_buffer_holds_comes_back_unchanged() {
    let sent: Vec<u8> = (0..=u8::MAX).cycle().skip(1).take(10_000_000).collect();
    let (mut reader, mut writer) = Client::new().await.stream.into_split();
    let expected = sent.clone();
    let sender = tokio::spawn(async move {
        writer.write_all(&sent).await?;
        writer.shutdown().await
    });
    let mut received = Vec::new();
    in_time(reader.read_to_end(&mut received)).await;
    in_time(async { sender.await.map_err(io::Error::other)? }).await;
    assert!(received == expected, "{} bytes came back", received.len());
}

#[tokio::test]
async fn a_client_that_resets_its_connection_harms_nobody_else() {
    let backend = phase_00::start(1).await.unwrap()[0];
    for bytes in ["", "hello", "GET / HTTP/1.1\r\n\r\n"] {
        let mut client = Client::of(backend, 1).await;
        client.send(bytes).await;
        client.stream.set_zero_linger().unwrap();
        drop(client);

        let mut next = Client::of(backend, 1).await;
        next.send("GET / HTTP/1.1\r\n\r\n").await;
        next.expect(&answer("200 OK", "keep-alive", &next.line()))
            .await;
    }
}

#[tokio::test]
async fn silent_clients_keep_nobody_waiting() {
    let backend = phase_00::start(1).await.unwrap()[0];
    let mut silent = Vec::new();
    for _ in 0..100 {
        silent.push(Client::of(backend, 1).await);
    }
    let mut client = Client::of(backend, 1).await;
    client.send("hello").await;
    client.expect("hello").await;
}
