//! The clock of the relay: ends a connection on which nothing happens any more.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use clap::Args;
use tokio::time::{Instant, sleep};

use crate::config::value::duration;
use crate::error::Error;
use crate::relay::meter::{Meter, Side};

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

/// Runs `relay` to its end, unless no byte passes for too long.
///
/// The silence of both sides counts together: while one of them sends, the other
/// may listen for as long as it likes.
pub async fn unless_idle<R: Future>(
    relay: R,
    settings: &IdleSettings,
    client: &Meter,
    backend: &Meter,
) -> Result<R::Output, Error> {
    let mut relay = pin!(relay);
    let mut alarm = pin!(sleep(settings.timeout));
    let mut rung = None;

    poll_fn(|cx| {
        if let Poll::Ready(output) = relay.as_mut().poll(cx) {
            return Poll::Ready(Ok(output));
        }

        let half_closed = client.has_ended() != backend.has_ended();
        let limit = if half_closed {
            settings.half_close_timeout
        } else {
            settings.timeout
        };
        let deadline = client.last_active().max(backend.last_active()) + limit;

        // Each byte moves the deadline further away. Setting the alarm each time
        // would cost more than moving the byte, so it rings too early instead, and
        // is set anew then. Only when one side ends may the deadline come nearer.
        if deadline < alarm.deadline() && rung != Some(deadline) {
            alarm.as_mut().reset(deadline);
        }
        while alarm.as_mut().poll(cx).is_ready() {
            if rung == Some(deadline) {
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

            // The clock goes on while the program is stopped. Then it may ring before the
            // runtime has looked at what came meanwhile, so it counts the second time only.
            let is_over = alarm.deadline() >= deadline;
            rung = is_over.then_some(deadline);
            alarm.as_mut().reset(if is_over {
                Instant::now() + LOOK_AGAIN
            } else {
                deadline
            });
        }
        Poll::Pending
    })
    .await
}

/// Time for the runtime to look at all sockets, of which it asks for a thousand at once.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// As nginx has it. Shorter cuts quiet but living connections, longer keeps those
/// whose client has lost its network.
const DEFAULT_IDLE_TIMEOUT: &str = "10m";

/// Time for an answer after the last byte of the question. Without a limit, peers
/// that never close leave connections for ever.
const DEFAULT_HALF_CLOSE_TIMEOUT: &str = "30s";
