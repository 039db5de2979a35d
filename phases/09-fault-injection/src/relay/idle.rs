//! The clock of the relay: ends a connection on which nothing happens any more.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use tokio::time::sleep;

use crate::config::Config;
use crate::error::Error;
use crate::relay::meter::{Meter, Side};

/// Runs `relay` to its end, unless no byte passes for too long.
///
/// The silence of both sides counts together: while one of them sends, the other
/// may listen for as long as it likes.
pub async fn unless_idle<R: Future>(
    relay: R,
    config: &Config,
    client: &Meter,
    backend: &Meter,
) -> Result<R::Output, Error> {
    let mut relay = pin!(relay);
    let mut alarm = pin!(sleep(config.idle_timeout));

    poll_fn(|cx| {
        if let Poll::Ready(output) = relay.as_mut().poll(cx) {
            return Poll::Ready(Ok(output));
        }

        let half_closed = client.has_ended() != backend.has_ended();
        let limit = if half_closed {
            config.half_close_timeout
        } else {
            config.idle_timeout
        };
        let deadline = client.last_active().max(backend.last_active()) + limit;

        // Each byte moves the deadline further away. Setting the alarm each time
        // would cost more than moving the byte, so it rings too early instead, and
        // is set anew then. Only when one side ends may the deadline come nearer.
        if deadline < alarm.deadline() {
            alarm.as_mut().reset(deadline);
        }
        while alarm.as_mut().poll(cx).is_ready() {
            if alarm.deadline() >= deadline {
                let silent = if client.has_ended() {
                    Side::Backend
                } else {
                    Side::Client
                };
                return Poll::Ready(Err(if half_closed {
                    Error::HalfClosed { limit, silent }
                } else {
                    Error::Idle(limit)
                }));
            }
            alarm.as_mut().reset(deadline);
        }
        Poll::Pending
    })
    .await
}
