//! A backend as it is written on the command line.

use std::net::SocketAddr;
use std::str::FromStr;

/// A backend as it is written on the command line: `HOST:PORT`, `1.2.3.4:80`
/// or `[::1]:80`, then perhaps `,weight=3`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendAddress {
    /// As it was written.
    pub host_and_port: String,

    /// Its share, relative to the weights of the others.
    pub weight: u16,
}

impl FromStr for BackendAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (text, weight) = match text.split_once(',') {
            Some((address, option)) => (address, parse_weight(option)?),
            None => (text, 1),
        };

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
            weight,
        })
    }
}

fn parse_weight(option: &str) -> Result<u16, String> {
    let value = option
        .strip_prefix("weight=")
        .ok_or_else(|| format!("{option:?} is unknown; write ADDR,weight=N"))?;

    match value.parse() {
        Ok(weight @ 1..=256) => Ok(weight),
        _ => Err(format!(
            "{value:?} is not a weight; use a number from 1 to 256"
        )),
    }
}

impl From<SocketAddr> for BackendAddress {
    fn from(address: SocketAddr) -> Self {
        Self {
            host_and_port: address.to_string(),
            weight: 1,
        }
    }
}
