//! The last station of the proxy itself: lets connections end, but not for ever.

pub mod signals;

use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::{info, warn};

use crate::proxy::Proxy;

/// Waits until all sessions have ended, and cuts the rest at the deadline.
///
/// A byte pump does not know where a message ends, so that it cannot tell a client
/// to come back later: all it can do is wait.
pub async fn drain(mut sessions: JoinSet<()>, proxy: &Proxy) {
    info!("draining {} in-flight connection(s)", sessions.len());
    proxy.metrics.draining.set(1);

    let all_ended = async { while sessions.join_next().await.is_some() {} };

    if timeout(proxy.config.drain_timeout, all_ended)
        .await
        .is_err()
    {
        warn!("drain deadline: cut {} connection(s)", sessions.len());
        sessions.shutdown().await;
    }
}

#[cfg(test)]
mod tests;
