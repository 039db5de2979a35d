//! Stations *choose* and *connect* together: if a backend fails, the client gets
//! another one.

pub mod balance;
pub mod ejection;
pub mod health;

use std::sync::Arc;
use std::time::Instant;

use tokio::net::TcpStream;
use tracing::debug;

use crate::backend::InFlight;
use crate::connect::connect;
use crate::error::Error;
use crate::proxy::Proxy;

/// Finds a backend that can be connected to.
///
/// No byte of the client has been read yet, so trying again is safe: afterwards
/// nobody could say what the first backend had already done with those bytes. Each
/// try goes to a backend that this client has not met.
pub async fn reach(proxy: &Proxy) -> Result<(InFlight, TcpStream), Error> {
    let config = &proxy.config;
    let deadline = Instant::now() + config.connect.timeout;
    let mut tried = Vec::new();
    let mut failure = Error::NoBackend;

    for tries_left in (1..=config.connect.attempts.min(proxy.balancer.size())).rev() {
        let Some(backend) = proxy.balancer.pick(&tried) else {
            break;
        };

        // One budget for the client, whatever happens, and an equal part of what is
        // left of it for each try: a backend that swallows packets must not use up
        // the turn of the one that would have answered.
        let time_left = deadline.saturating_duration_since(Instant::now());

        match connect(&backend, time_left / tries_left).await {
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
