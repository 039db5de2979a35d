//! The way of one connection: calls the stations in order, and does nothing else.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpStream;
use tracing::warn;

use crate::choose::reach;
use crate::error::Error;
use crate::proxy::Proxy;
use crate::relay::relay;

/// Serves one client from its first byte to its last, and logs why it ended early.
pub async fn run(proxy: Arc<Proxy>, client: TcpStream, peer: SocketAddr) {
    if let Err(error) = walk(&proxy, client).await {
        warn!("client {peer}: {error}");
    }
}

async fn walk(proxy: &Proxy, client: TcpStream) -> Result<(), Error> {
    let (backend, stream) = reach(proxy).await?;

    relay(client, stream, &backend).await
}

#[cfg(test)]
mod tests;
