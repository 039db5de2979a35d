//! The clock of the relay: ends a connection on which nothing happens any more.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use clap::Args;
use tokio::time::{Instant, Sleep};

use crate::config::value::duration;

/// How long silence may last.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Relay")]
pub struct IdleSettings {
    /// Ends a connection on which no byte has passed in either direction
    #[arg(id = "idle-timeout", long, value_name = "TIME", default_value = DEFAULT_IDLE_TIMEOUT, value_parser = duration)]
    pub timeout: Duration,

    /// The same, once one side has sent its last byte
    #[arg(long, value_name = "TIME", default_value = DEFAULT_HALF_CLOSE_TIMEOUT, value_parser = duration)]
    pub half_close_timeout: Duration,
}

/// Ready when `deadline` is over. For each deadline the alarm rings twice, and `rung`
/// is the one for which it has rung before.
pub fn poll_alarm(
    mut alarm: Pin<&mut Sleep>,
    rung: &mut Option<Instant>,
    cx: &mut Context<'_>,
    deadline: Instant,
) -> Poll<()> {
    // Each byte moves the deadline further away. Setting the alarm each time
    // would cost more than moving the byte, so it rings too early instead, and
    // is set anew then. Only when one side ends may the deadline come nearer.
    if deadline < alarm.deadline() && *rung != Some(deadline) {
        alarm.as_mut().reset(deadline);
    }
    while alarm.as_mut().poll(cx).is_ready() {
        if *rung == Some(deadline) {
            return Poll::Ready(());
        }

        // The clock goes on while the program is stopped. Then it may ring before the
        // runtime has looked at what came meanwhile, so it counts the second time only.
        let is_over = alarm.deadline() >= deadline;
        *rung = is_over.then_some(deadline);
        alarm.as_mut().reset(if is_over {
            Instant::now() + LOOK_AGAIN
        } else {
            deadline
        });
    }
    Poll::Pending
}

/// Time for the runtime to look at all sockets, of which it asks for a thousand at once.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// As nginx has it. Shorter cuts quiet but living connections, longer keeps those
/// whose client has lost its network.
const DEFAULT_IDLE_TIMEOUT: &str = "10m";

/// Time for an answer after the last byte of the question. Without a limit, peers
/// that never close leave connections for ever.
const DEFAULT_HALF_CLOSE_TIMEOUT: &str = "30s";
