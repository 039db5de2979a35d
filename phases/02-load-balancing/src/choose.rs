//! Station *choose*: which backend gets this connection?

pub mod balance;

use crate::backend::InFlight;
use crate::proxy::Proxy;

/// Chooses a backend, and counts the connection for it.
pub fn choose(proxy: &Proxy) -> InFlight {
    proxy.balancer.pick()
}
