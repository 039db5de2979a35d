//! A relay without any feature: what is left of a proxy when everything that makes it
//! one is taken away. It stands in every table as what a proxy can do at best.
//!
//! No timeout, no limit, no check, no accounting. One task moves the bytes of both
//! directions, through a buffer that all connections of a thread share.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

mod relay;

/// The command line of the relay.
#[derive(Debug, clap::Args)]
pub struct Floor {
    /// Where to accept clients
    #[arg(long)]
    listen: SocketAddr,

    /// Where they go, in turn
    #[arg(long = "backend", required = true)]
    backends: Vec<SocketAddr>,

    /// Send a PROXY v2 header first
    #[arg(long)]
    announce: bool,
}

impl Floor {
    /// Serves until it is killed.
    pub fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        runtime.block_on(self.serve())
    }

    async fn serve(self) -> Result<()> {
        let listener = TcpListener::bind(self.listen)
            .await
            .with_context(|| format!("cannot listen on {}", self.listen))?;
        let (floor, next) = (Arc::new(self), AtomicUsize::new(0));

        loop {
            let Ok((client, peer)) = listener.accept().await else {
                // Out of descriptors: the client stays in the queue.
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                continue;
            };
            let turn = next.fetch_add(1, Ordering::Relaxed) % floor.backends.len();
            let floor = Arc::clone(&floor);
            tokio::spawn(async move { floor.session(client, peer, turn).await });
        }
    }

    async fn session(&self, client: TcpStream, peer: SocketAddr, turn: usize) -> io::Result<()> {
        let mut backend = TcpStream::connect(self.backends[turn]).await?;
        client.set_nodelay(true)?;
        backend.set_nodelay(true)?;
        if self.announce {
            backend
                .write_all(&header(peer, client.local_addr()?))
                .await?;
        }
        relay::relay(client, backend).await
    }
}

/// PROXY protocol version 2 for TCP over IPv4; the bench uses nothing else.
fn header(source: SocketAddr, destination: SocketAddr) -> Vec<u8> {
    let mut header = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0c".to_vec();
    for address in [source, destination] {
        if let SocketAddr::V4(address) = address {
            header.extend(address.ip().octets());
        }
    }
    header.extend(source.port().to_be_bytes());
    header.extend(destination.port().to_be_bytes());
    header
}
