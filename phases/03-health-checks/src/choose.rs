//! Station *choose*: which backend gets this connection?

pub mod balance;
pub mod health;

use crate::backend::InFlight;
use crate::error::Error;
use crate::proxy::Proxy;

/// Chooses a backend, and counts the connection for it.
pub fn choose(proxy: &Proxy) -> Result<InFlight, Error> {
    proxy.balancer.pick().ok_or(Error::NoBackend)
}
