//! The last station of the proxy itself: lets connections end, but not for ever.

pub mod signals;

use std::time::Duration;

use clap::Args;
use prometheus::IntGauge;
use tokio::task::JoinSet;
use tokio::time::timeout;
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

/// Waits until all sessions have ended, and cuts the rest at the deadline.
///
/// A byte pump does not know where a message ends, so that it cannot tell a client
/// to come back later: all it can do is wait.
pub async fn drain(mut sessions: JoinSet<()>, limit: Duration, draining: &IntGauge) {
    info!("draining {} in-flight connection(s)", sessions.len());
    draining.set(1);

    let all_ended = async {
        while let Some(ended) = sessions.join_next().await {
            report_panic(ended);
        }
    };

    if timeout(limit, all_ended).await.is_err() {
        warn!("drain deadline: cut {} connection(s)", sessions.len());
        sessions.shutdown().await;
    }
}

/// Shorter than the patience of service managers, who kill what does not leave:
/// systemd waits 90 seconds, and Kubernetes 30, where less than this is wanted.
const DEFAULT_DRAIN_TIMEOUT: &str = "30s";

#[cfg(test)]
mod tests;
