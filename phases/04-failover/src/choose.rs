//! Stations *choose* and *connect* together: if a backend fails, the client gets
//! another one.

pub mod balance;
pub mod budget;
pub mod ejection;
pub mod health;

use std::sync::Arc;
use std::time::Instant;

use tokio::net::TcpStream;
use tracing::debug;

use crate::backend::InFlight;
use crate::choose::budget::Budget;
use crate::connect::connect;
use crate::error::Error;
use crate::proxy::Proxy;

/// Finds a backend that can be connected to.
///
/// No byte of the client has been read yet, so trying again is safe: afterwards
/// nobody could say what the first backend had already done with those bytes. Each
/// try goes to a backend that this client has not met.
pub async fn reach(proxy: &Proxy) -> Result<(InFlight, TcpStream), Error> {
    let (balancer, settings) = (&proxy.balancer, &proxy.config.connect);
    let mut budget = Budget::new(settings, Instant::now());
    let mut tried = Vec::new();
    let mut failure = Error::NoBackend;

    while let Some(limit) = budget.spend(Instant::now(), balancer.untried(&tried)) {
        let backend = balancer
            .try_again(&tried, settings.timeout)
            .or_else(|| balancer.pick(&tried));
        let Some(backend) = backend else {
            break;
        };

        match connect(&backend, limit).await {
            Ok(stream) => return Ok((backend, stream)),

            Err(error) => {
                debug!("{error}");
                if let Some(fault) = error.fault_of_backend() {
                    proxy.failed(&backend, fault);
                }
                tried.push(Arc::clone(&backend));
                failure = error;
            }
        }
    }

    Err(failure)
}

#[cfg(test)]
mod tests;
