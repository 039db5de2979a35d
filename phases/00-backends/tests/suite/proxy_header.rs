use crate::{Client, answer};

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
const V1: &[u8] = b"PROXY TCP4 203.0.113.7 192.0.2.1 5555 443\r\n";
const V1_UNKNOWN: &[u8] = b"PROXY UNKNOWN\r\n";
const V2: &[u8] =
    b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xcb\x00\x71\x07\xc0\x00\x02\x01\x15\xb3\x01\xbb";
const V2_IPV6_AND_EXTENSION: &[u8] = b"\r\n\r\n\0\r\nQUIT\n\x21\x21\0\x2b\
    \x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02\
    \x15\xb3\x01\xbb\x04\0\x04abcd";
const V2_LOCAL: &[u8] = b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0";

/// Sends `header` and a request, in one piece and byte by byte.
async fn expect_client(header: &[u8], client_and_version: impl Fn(&Client) -> String) {
    let bytes = [header, GET].concat();
    for size in [bytes.len(), 1] {
        let mut client = Client::new().await;
        for piece in bytes.chunks(size) {
            client.send(piece).await;
        }
        let line = format!(
            "{}, you are {}\n",
            client.hello,
            client_and_version(&client)
        );
        client.expect(&answer("200 OK", "keep-alive", &line)).await;
        // The header speaks for the whole connection.
        client.send(GET).await;
        client.expect(&answer("200 OK", "keep-alive", &line)).await;
    }
}

#[tokio::test]
async fn version_1_names_the_client() {
    expect_client(V1, |_| "203.0.113.7:5555 (PROXY v1)".into()).await;
}

#[tokio::test]
async fn version_2_names_the_client() {
    expect_client(V2, |_| "203.0.113.7:5555 (PROXY v2)".into()).await;
    expect_client(V2_IPV6_AND_EXTENSION, |_| {
        "[2001:db8::1]:5555 (PROXY v2)".into()
    })
    .await;
}

#[tokio::test]
async fn without_an_address_the_socket_names_the_client() {
    let address = |client: &Client| client.address;
    expect_client(V1_UNKNOWN, |it| {
        format!("{} (PROXY v1 without address)", address(it))
    })
    .await;
    expect_client(V2_LOCAL, |it| {
        format!("{} (PROXY v2 without address)", address(it))
    })
    .await;
}

#[tokio::test]
async fn what_follows_a_header_may_be_anything() {
    let mut client = Client::new().await;
    client.send([V2, b"hello"].concat()).await;
    client.expect("hello").await;
    client.end().await;
    client.expect_last("").await;
}

#[tokio::test]
async fn a_health_check_without_a_request_gets_nothing() {
    let mut client = Client::new().await;
    client.send(V2_LOCAL).await;
    client.end().await;
    client.expect_last("").await;
}

#[tokio::test]
async fn a_second_header_is_not_looked_for() {
    let mut client = Client::new().await;
    client.send([V1, V1].concat()).await;
    client.expect(str::from_utf8(V1).unwrap()).await;
}
