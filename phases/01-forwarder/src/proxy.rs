//! What all connections share: one value, built by `main` and handed to each session.

use anyhow::Context;

use crate::backend::Backend;
use crate::config::Config;

/// The context of every connection.
#[derive(Debug)]
pub struct Proxy {
    /// Where connections go.
    pub backend: Backend,
}

impl Proxy {
    /// Builds the context. Fails if a name cannot be resolved.
    pub async fn new(config: &Config) -> anyhow::Result<Self> {
        let address = config.backend.as_ref().context("no backend")?;

        Ok(Self {
            backend: Backend::resolve(address).await?,
        })
    }
}
