//! What all connections share: one value, built by `main` and handed to each session.

use std::fmt::Display;
use std::sync::Arc;

use anyhow::ensure;
use fastrand::Rng;

use crate::backend::Backend;
use crate::choose::balance::Balancer;
use crate::config::Config;

/// The context of every connection.
#[derive(Debug)]
pub struct Proxy {
    /// The settings.
    pub config: Config,

    /// All backends, in the order in which they were given.
    pub backends: Vec<Arc<Backend>>,

    /// Chooses one of them for a connection.
    pub balancer: Balancer,
}

impl Proxy {
    /// Builds the context. Fails if a name cannot be resolved.
    pub async fn new(config: Config) -> anyhow::Result<Self> {
        let mut backends = Vec::new();
        for address in &config.backends {
            let backend = Backend::resolve(address).await?;

            ensure!(
                backends
                    .iter()
                    .all(|known: &Arc<Backend>| known.name != backend.name),
                "backend {backend} is given twice; weight=N gives it a larger share"
            );
            backends.push(Arc::new(backend));
        }

        Ok(Self {
            balancer: Balancer::new(config.balance.how, backends.clone(), Rng::new()),
            backends,
            config,
        })
    }

    /// Notes that no connection to a backend could be made. Enough of that in a row
    /// ejects it.
    pub fn failed(&self, backend: &Backend, why: &dyn Display) {
        backend.failed(why, self.config.health.fall);
    }
}
