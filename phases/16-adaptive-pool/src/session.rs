//! The way of one connection: calls the stations in order, and does nothing else.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;

use crate::accept::listen::Detect;
use crate::account::Record;
use crate::announce::announce;
use crate::backend::InFlight;
use crate::choose::reach;
use crate::error::Error;
use crate::identify::identify;
use crate::proxy::Proxy;
use crate::relay::relay;

/// Serves one client from its first byte to its last, and accounts for it.
pub async fn run(proxy: Arc<Proxy>, detect: Detect, client: TcpStream, peer: SocketAddr) {
    let mut record = Record::new(Arc::clone(&proxy), peer);

    let result = walk(&proxy, detect, client, peer, &mut record).await;

    record.close(result);
}

async fn walk(
    proxy: &Proxy,
    detect: Detect,
    mut client: TcpStream,
    peer: SocketAddr,
    record: &mut Record,
) -> Result<(), Error> {
    // The longest wait of a task sets its size for good. What only the way to the
    // backend needs is on the heap, and gone before the relay begins.
    let (_permit, early, backend, stream) =
        Box::pin(find_way(proxy, detect, &mut client, peer, record)).await?;

    relay(proxy, &client, early, &stream, &backend, record).await
}

/// All stations before the relay.
async fn find_way(
    proxy: &Proxy,
    detect: Detect,
    client: &mut TcpStream,
    peer: SocketAddr,
    record: &mut Record,
) -> Result<Way, Error> {
    let permit = proxy.limits.admit(peer.ip())?;

    if let Some(faults) = &proxy.faults {
        faults.strike(&proxy.metrics).await?;
    }

    let (balancer, early) = identify(proxy, detect, client, record).await?;

    let (backend, mut stream) = reach(proxy, balancer, record).await?;

    announce(proxy, client, &mut stream, &backend).await?;

    Ok((permit, early, backend, stream))
}

type Way = (OwnedSemaphorePermit, Vec<u8>, InFlight, TcpStream);

#[cfg(test)]
mod tests;
