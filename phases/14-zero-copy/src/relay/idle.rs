//! The clock of the relay: ends a connection on which nothing happens any more.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep};

/// Ready when `deadline` is over.
pub fn poll_alarm(mut alarm: Pin<&mut Sleep>, cx: &mut Context<'_>, deadline: Instant) -> Poll<()> {
    // Each byte moves the deadline further away. Setting the alarm each time
    // would cost more than moving the byte, so it rings too early instead, and
    // is set anew then. Only when one side ends may the deadline come nearer.
    if deadline < alarm.deadline() {
        alarm.as_mut().reset(deadline);
    }
    while alarm.as_mut().poll(cx).is_ready() {
        if alarm.deadline() >= deadline {
            return Poll::Ready(());
        }
        alarm.as_mut().reset(deadline);
    }
    Poll::Pending
}
