//! The accept loop: one task for each client.

use std::sync::Arc;

use tokio::net::TcpListener;

use crate::accept::Acceptor;
use crate::proxy::Proxy;
use crate::session;

/// Serves clients for ever.
pub async fn serve(listener: TcpListener, proxy: Arc<Proxy>) {
    let mut acceptor = Acceptor::new(listener, proxy.metrics.accept_errors.clone());

    loop {
        let (client, peer) = acceptor.next().await;

        tokio::spawn(session::run(Arc::clone(&proxy), client, peer));
    }
}
