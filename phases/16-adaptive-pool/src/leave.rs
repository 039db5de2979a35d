//! The last station of the proxy itself: lets connections end, but not for ever.

pub mod signals;

use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::proxy::Proxy;
use crate::server::report_panic;
use crate::worker::Workers;

/// Waits until all workers have ended, and cuts the sessions that are left at the
/// deadline.
///
/// A byte pump does not know where a message ends, so that it cannot tell a client
/// to come back later: all it can do is wait.
pub async fn drain(mut workers: Workers, proxy: &Proxy) -> anyhow::Result<()> {
    info!("draining {} in-flight connection(s)", workers.clients());
    proxy.metrics.draining.set(1);

    if let Ok(ended) = timeout(proxy.config.drain_timeout, workers.ended()).await {
        return ended;
    }

    warn!("drain deadline: cut {} connection(s)", workers.clients());
    workers.cut();
    workers.ended().await
}

/// A worker's part: waits until its sessions have ended, or until they are cut.
pub async fn finish(mut sessions: Vec<JoinSet<()>>, cut: CancellationToken) {
    let all_ended = async {
        for sessions in &mut sessions {
            while let Some(ended) = sessions.join_next().await {
                report_panic(ended);
            }
        }
    };

    if cut.run_until_cancelled(all_ended).await.is_none() {
        for sessions in &mut sessions {
            sessions.shutdown().await;
        }
    }
}

#[cfg(test)]
mod tests;
