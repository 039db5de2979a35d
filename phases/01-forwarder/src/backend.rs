//! A backend: the name it was given, and the addresses behind that name.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use anyhow::{Context, ensure};
use tokio::net::lookup_host;

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

/// A backend as it is written on the command line: `HOST:PORT`, `1.2.3.4:80`
/// or `[::1]:80`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendAddress {
    host_and_port: String,
}

impl FromStr for BackendAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (host, port) = text
            .rsplit_once(':')
            .ok_or_else(|| format!("the port is missing; write {text}:PORT"))?;

        if host.is_empty() {
            return Err(format!("the host is missing; write HOST:{port}"));
        }
        if host.contains(':') && !(host.starts_with('[') && host.ends_with(']')) {
            return Err("an IPv6 address needs brackets, as in [::1]:80".to_owned());
        }
        if !port.parse::<u16>().is_ok_and(|port| port != 0) {
            return Err(format!(
                "{port:?} is not a port; use a number from 1 to 65535"
            ));
        }

        Ok(Self {
            host_and_port: text.to_owned(),
        })
    }
}

impl From<SocketAddr> for BackendAddress {
    fn from(address: SocketAddr) -> Self {
        Self {
            host_and_port: address.to_string(),
        }
    }
}

#[cfg(test)]
mod tests;
