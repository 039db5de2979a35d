//! Keeps pools full: one task for each backend.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tracing::debug;

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

async fn refill(size: usize, patience: Duration, backend: Arc<Backend>) {
    let mut pause = FIRST_PAUSE;

    loop {
        if backend.pool.len() >= size {
            backend.pool.taken.notified().await;
            continue;
        }

        match dial(&backend, patience).await {
            Ok(stream) => {
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

/// A refused connection comes back at once: without a pause, a dead backend would
/// be dialled as fast as the machine can.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// How long a backend that is back may have to do without its pool.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
