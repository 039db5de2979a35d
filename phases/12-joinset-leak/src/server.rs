//! The accept loop: one task for each client.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::accept::Acceptor;
use crate::error::report_panic;
use crate::leave::drain;
use crate::proxy::Proxy;
use crate::session;

/// Serves clients until `shutdown` is done, then those that are left.
pub async fn serve(listener: TcpListener, proxy: Arc<Proxy>, shutdown: impl Future<Output = ()>) {
    let mut acceptor = Acceptor::new(listener, proxy.metrics.accept_errors.clone());
    let mut sessions = JoinSet::new();
    let mut shutdown = pin!(shutdown);

    loop {
        tokio::select! {
            (client, peer) = acceptor.next() => {
                sessions.spawn(session::run(Arc::clone(&proxy), client, peer));
            }

            // A set keeps each task that has ended until somebody asks for its result:
            // the price of connections that are long gone. While the set is empty
            // the pattern does not match, and the branch sleeps until the next turn.
            Some(ended) = sessions.join_next() => report_panic(ended),

            () = &mut shutdown => break,
        }
    }

    // Closes the listener: new clients are refused at once, and may go elsewhere.
    drop(acceptor);

    drain(
        sessions,
        proxy.config.leave.drain_timeout,
        &proxy.metrics.draining,
    )
    .await;
}

#[cfg(test)]
mod tests;
