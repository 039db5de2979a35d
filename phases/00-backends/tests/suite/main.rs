//! The backends over real sockets: in this process, and as a program.

#![allow(
    clippy::unwrap_used,
    reason = "the helpers of a test may panic like the test itself"
)]

mod binary;
mod echo;
mod http;
mod proxy_header;

use std::{future::Future, net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time,
};

/// A client that fails instead of waiting for ever.
struct Client {
    stream: TcpStream,
    /// How the backend must introduce itself.
    hello: String,
    /// How it must address this client.
    address: SocketAddr,
}

impl Client {
    /// Connects to a backend of its own.
    async fn new() -> Self {
        Self::of(phase_00::start(1).await.unwrap()[0], 1).await
    }

    async fn of(backend: SocketAddr, number: usize) -> Self {
        let stream = TcpStream::connect(backend).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            hello: format!("hello from backend {number} ({backend})"),
            address: stream.local_addr().unwrap(),
            stream,
        }
    }

    /// The line for a client that came without a PROXY header.
    fn line(&self) -> String {
        format!("{}, you are {}\n", self.hello, self.address)
    }

    async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        in_time(self.stream.write_all(bytes.as_ref())).await;
    }

    /// Ends this side only.
    async fn end(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// Reads as many bytes as are expected, so the backend need not end.
    async fn expect(&mut self, expected: &str) {
        let mut bytes = vec![0; expected.len()];
        in_time(self.stream.read_exact(&mut bytes)).await;
        assert_eq!(String::from_utf8_lossy(&bytes), expected);
    }

    /// Reads to the backend's end.
    async fn expect_last(&mut self, expected: &str) {
        let mut bytes = Vec::new();
        in_time(self.stream.read_to_end(&mut bytes)).await;
        assert_eq!(String::from_utf8_lossy(&bytes), expected);
    }
}

/// An answer with its head, as it looks on the wire.
fn answer(status: &str, connection: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n\
         Connection: {connection}\r\n\r\n{body}"
    )
}

/// Ten seconds are far more than anything here takes, so only a hang runs into them.
async fn in_time<T>(io: impl Future<Output = std::io::Result<T>>) -> T {
    time::timeout(Duration::from_secs(10), io)
        .await
        .expect("the backend should act")
        .unwrap()
}
