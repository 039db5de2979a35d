//! The accept loops, one for each listener: one task for each client.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::accept::Acceptor;
use crate::accept::listen::Listener;
use crate::error::report_panic;
use crate::leave::drain;
use crate::proxy::Proxy;
use crate::session;

/// Serves clients until `shutdown`, then those that are left.
pub async fn serve(listeners: Vec<Listener>, proxy: Arc<Proxy>, shutdown: CancellationToken) {
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn(accept(listener, Arc::clone(&proxy), shutdown.clone()));
    }

    let sessions = accepting.join_all().await;

    drain(
        sessions,
        proxy.config.leave.drain_timeout,
        &proxy.metrics.draining,
    )
    .await;
}

/// Gives each client a session, and in the end those that have not ended.
async fn accept(listener: Listener, proxy: Arc<Proxy>, shutdown: CancellationToken) -> JoinSet<()> {
    let Listener { socket, detect } = listener;
    let mut acceptor = Acceptor::new(socket, proxy.metrics.accept_errors.clone());
    let mut sessions = JoinSet::new();

    loop {
        tokio::select! {
            (client, peer) = acceptor.next() => {
                sessions.spawn(session::run(Arc::clone(&proxy), detect, client, peer));
            }

            // A set keeps each task that has ended until somebody asks for its result:
            // the price of connections that are long gone. While the set is empty
            // the pattern does not match, and the branch sleeps until the next turn.
            Some(ended) = sessions.join_next() => report_panic(ended),

            () = shutdown.cancelled() => break,
        }
    }

    // The listener closes here: new clients are refused at once, and may go elsewhere.
    sessions
}

#[cfg(test)]
mod tests;
