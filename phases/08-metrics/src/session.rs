//! The way of one connection: calls the stations in order, and does nothing else.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpStream;

use crate::account::Record;
use crate::announce::announce;
use crate::choose::reach;
use crate::error::Error;
use crate::proxy::Proxy;
use crate::relay::relay;

/// Serves one client from its first byte to its last, and accounts for it.
pub async fn run(proxy: Arc<Proxy>, client: TcpStream, peer: SocketAddr) {
    let mut record = Record::new(Arc::clone(&proxy), peer);

    let result = walk(&proxy, client, peer, &mut record).await;

    record.close(result);
}

async fn walk(
    proxy: &Proxy,
    client: TcpStream,
    peer: SocketAddr,
    record: &mut Record,
) -> Result<(), Error> {
    let _permit = proxy.limits.admit(peer.ip())?;

    let (backend, mut stream) = reach(proxy, record).await?;

    announce(proxy, &client, &mut stream, &backend).await?;

    relay(proxy, client, stream, &backend, record).await
}

#[cfg(test)]
mod tests;
