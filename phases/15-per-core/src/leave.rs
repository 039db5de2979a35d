//! The last station of the proxy itself: lets connections end, but not for ever.

pub mod signals;

use std::pin::pin;
use std::time::Duration;

use clap::Args;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::config::value::duration;
use crate::error::report_panic;

/// How long leaving may take.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Leave")]
pub struct LeaveSettings {
    /// How long connections may go on after SIGTERM, SIGINT or SIGQUIT; then they are cut
    #[arg(long, value_name = "TIME", default_value = DEFAULT_DRAIN_TIMEOUT, value_parser = duration)]
    pub drain_timeout: Duration,
}

/// What all workers are told.
#[derive(Debug, Clone, Default)]
pub struct Orders {
    /// Accept nobody any more.
    pub stop: CancellationToken,

    /// End the sessions that are left.
    pub cut: CancellationToken,
}

/// Waits until all workers have `ended`, and cuts the sessions that are left at the
/// deadline.
///
/// A byte pump does not know where a message ends, so that it cannot tell a client
/// to come back later: all it can do is wait.
pub async fn drain<T>(
    limit: Duration,
    clients: impl Fn() -> usize,
    ended: impl Future<Output = T>,
    orders: &Orders,
) -> T {
    info!("draining {} in-flight connection(s)", clients());

    let mut ended = pin!(ended);
    if let Ok(result) = timeout(limit, &mut ended).await {
        return result;
    }

    warn!("drain deadline: cut {} connection(s)", clients());
    orders.cut.cancel();
    ended.await
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

/// Shorter than the patience of service managers, who kill what does not leave:
/// systemd waits 90 seconds, and Kubernetes 30, where less than this is wanted.
const DEFAULT_DRAIN_TIMEOUT: &str = "30s";

#[cfg(test)]
mod tests;
