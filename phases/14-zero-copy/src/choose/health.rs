//! Active checks: asks each backend whether it is alive, so that no client has
//! to find out.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tracing::{debug, info, warn};

use crate::backend::Backend;
use crate::config::Config;
use crate::connect::{blames_backend, dial};
use crate::proxy::Proxy;

/// Starts a watch over each backend. It ends with the runtime.
pub fn start(proxy: &Arc<Proxy>) {
    for backend in &proxy.backends {
        tokio::spawn(watch(Arc::clone(proxy), Arc::clone(backend)));
    }
}

async fn watch(proxy: Arc<Proxy>, backend: Arc<Backend>) {
    let config = &proxy.config;
    let mut streak = Streak::default();

    // Proxies that were started together must not check together.
    sleep(config.health_interval.mul_f64(fastrand::f64())).await;

    loop {
        // A backend that accepts a connection is alive. More cannot be asked of one
        // whose protocol is unknown, so the connection is closed again.
        let answer = dial(&backend, config.health_timeout).await.map(drop);

        if let Err(error) = &answer
            && !blames_backend(error)
        {
            debug!("cannot check backend {backend}: {error}");
        } else if streak.contradicts(backend.is_up(), answer.is_ok(), config) {
            // First, so that who reads the log finds it true.
            backend.set_up(answer.is_ok());
            match answer {
                Ok(()) => info!("backend {backend} is up"),
                Err(error) => warn!("backend {backend} is down: {error}"),
            }
        }

        sleep(jittered(config.health_interval)).await;
    }
}

/// How many answers in a row have contradicted what is believed.
#[derive(Debug, Default)]
struct Streak(u32);

impl Streak {
    /// Notes an answer, and says whether the belief has to change: one lost packet
    /// must not take a backend out, nor one lucky answer bring it back.
    fn contradicts(&mut self, up: bool, alive: bool, config: &Config) -> bool {
        if up == alive {
            self.0 = 0;
            return false;
        }

        self.0 += 1;
        let enough = if up { config.fall } else { config.rise };
        if self.0 < enough {
            return false;
        }

        self.0 = 0;
        true
    }
}

/// Even proxies that did check together drift apart.
fn jittered(interval: Duration) -> Duration {
    interval.mul_f64(0.9 + 0.2 * fastrand::f64())
}

#[cfg(test)]
mod tests;
