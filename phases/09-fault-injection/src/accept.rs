//! Station *accept*: takes clients from the listener, and outlives its errors.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use prometheus::IntCounterVec;
use rustix::io::Errno;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};
use tracing::{debug, warn};

/// A listener that always has a next client.
#[derive(Debug)]
pub struct Acceptor {
    listener: TcpListener,

    errors: IntCounterVec,

    last_warning: Option<Instant>,
}

impl Acceptor {
    /// Accepts from `listener`, and counts what goes wrong.
    pub fn new(listener: TcpListener, errors: IntCounterVec) -> Self {
        Self {
            listener,
            errors,
            last_warning: None,
        }
    }

    /// Waits for the next client.
    ///
    /// An error never ends the wait, because a proxy that stops accepting is
    /// worse than any error that `accept` can report. Cancel safe: no client is
    /// lost if the future is dropped.
    pub async fn next(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            match self.listener.accept().await {
                Ok((client, peer)) => {
                    // A byte pump must not wait for more bytes. The call fails only on
                    // a socket that is already dead, which the relay will notice.
                    let _ = client.set_nodelay(true);
                    return (client, peer);
                }

                Err(error) if concerns_one_client(&error) => {
                    self.errors.with_label_values(&["aborted"]).inc();
                    debug!("a client left before it was accepted: {error}");
                }

                Err(error) => {
                    self.errors.with_label_values(&["exhausted"]).inc();
                    self.warn(&error);
                    sleep(PAUSE).await;
                }
            }
        }
    }

    fn warn(&mut self, error: &io::Error) {
        if self
            .last_warning
            .is_none_or(|at| at.elapsed() >= WARN_EVERY)
        {
            warn!("cannot accept clients, trying again: {error}");
            self.last_warning = Some(Instant::now());
        }
    }
}

/// The client in front of the queue is gone, and the next may be fine. Linux may also
/// report here what happened to the new connection on its way (accept(2), "Error
/// handling").
///
/// `EPERM` is not among them: where a rule forbids to accept, the client stays in the
/// queue, and without the pause the loop would take a whole core.
fn concerns_one_client(error: &io::Error) -> bool {
    matches!(
        Errno::from_io_error(error),
        Some(
            Errno::CONNABORTED
                | Errno::CONNRESET
                | Errno::CONNREFUSED
                | Errno::HOSTDOWN
                | Errno::HOSTUNREACH
                | Errno::NETDOWN
                | Errno::NETUNREACH
                | Errno::NONET
                | Errno::NOPROTOOPT
                | Errno::OPNOTSUPP
                | Errno::PROTO
                | Errno::INTR
        )
    )
}

/// What is left is a lack of descriptors or memory (`EMFILE`, `ENFILE`,
/// `ENOBUFS`), and the client stays in the queue: without a pause the loop would
/// take a whole core, with a long one clients would wait after the lack is over.
const PAUSE: Duration = Duration::from_millis(100);

/// A lack lasts, and each try fails alike: one line per second tells it.
const WARN_EVERY: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
