//! Keeps pools full: one task for each backend.

use std::sync::Arc;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::time::sleep;
use tracing::{debug, info};

use crate::backend::Backend;
use crate::connect::dial;
use crate::connect::pool::PoolSettings;

/// Keeps the pool of each backend full. Ends with the runtime.
///
/// A backend has as long to answer here as it has for a client.
pub fn start(settings: &PoolSettings, patience: Duration, backends: &[Arc<Backend>]) {
    if settings.size == 0 {
        return;
    }

    for backend in backends {
        tokio::spawn(refill(settings.size, patience, Arc::clone(backend)));
    }
}

async fn refill(size: u16, patience: Duration, backend: Arc<Backend>) {
    let mut pause = FIRST_PAUSE;

    loop {
        if backend.pool.speaks_first() {
            info!("backend {backend} speaks first, so no connection waits there any more");
            return;
        }

        if backend.pool.len() >= size.into() {
            backend.pool.taken.notified().await;
            continue;
        }

        match dial(&backend, patience).await {
            Ok(stream) => {
                keep_alive(&stream);
                backend.pool.put(stream);
                pause = FIRST_PAUSE;
            }

            Err(error) => {
                debug!("cannot fill the pool of backend {backend}: {error}");
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// A machine that has lost its power sends no end. The kernel asks whether it is still
/// there, or a client would be the first to find out.
fn keep_alive(stream: &TcpStream) {
    let questions = TcpKeepalive::new()
        .with_time(QUIET)
        .with_interval(Duration::from_secs(1))
        .with_retries(3);

    // Fails only if the socket is already dead.
    let _ = SockRef::from(stream).set_tcp_keepalive(&questions);
}

/// A refused connection comes back at once: without a pause, a dead backend would
/// be dialled as fast as the machine can.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// How long a backend that is back may have to do without its pool.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// After so long without a word the first of three questions is sent, one a second.
/// Some packets per minute for each connection that waits.
const QUIET: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
