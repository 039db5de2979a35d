//! A backend: the name it was given, and the addresses behind that name.

pub mod address;

use std::fmt;
use std::net::SocketAddr;

use anyhow::{Context, ensure};
use tokio::net::lookup_host;

use crate::backend::address::BackendAddress;

/// A backend as it is used: resolved, and named as the user wrote it.
#[derive(Debug)]
pub struct Backend {
    /// What logs call it.
    pub name: String,

    /// Never empty. They are tried in order: `localhost` may be both `::1` and
    /// `127.0.0.1`, and the server may listen on one of them only.
    pub addresses: Vec<SocketAddr>,
}

impl Backend {
    /// Resolves the name. Once, at the start: a typo should end the program
    /// there, not fail each client later.
    pub async fn resolve(address: &BackendAddress) -> anyhow::Result<Self> {
        let name = &address.host_and_port;
        let addresses: Vec<_> = lookup_host(name)
            .await
            .with_context(|| format!("cannot resolve backend {name}"))?
            .collect();
        ensure!(
            !addresses.is_empty(),
            "cannot resolve backend {name}: no address"
        );

        Ok(Self {
            name: name.clone(),
            addresses,
        })
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests;
