//! Station *connect*: dials the backend.

pub mod blame;
pub mod pool;
pub mod refill;

use std::io;
use std::time::Duration;

use clap::Args;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::backend::Backend;
use crate::config::value::{at_least_one, duration};
use crate::error::Error;

/// How long, and how often, a backend is tried.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connect")]
pub struct ConnectSettings {
    /// How long a client waits for a backend, all attempts together
    #[arg(id = "connect-timeout", long, value_name = "TIME", default_value = DEFAULT_CONNECT_TIMEOUT, value_parser = duration)]
    pub timeout: Duration,

    /// How many backends a client tries at most
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ATTEMPTS, value_parser = at_least_one::<u32>)]
    pub attempts: u32,
}

/// Connects a client to the backend, at once if the pool has a connection.
pub async fn connect(backend: &Backend, limit: Duration) -> Result<TcpStream, Error> {
    if let Some(stream) = backend.pool.take() {
        return Ok(stream);
    }

    dial(backend, limit).await.map_err(|source| Error::Connect {
        backend: backend.name.clone(),
        source,
    })
}

/// Opens a connection to the backend within `limit`; its addresses are tried in
/// order.
pub async fn dial(backend: &Backend, limit: Duration) -> io::Result<TcpStream> {
    let stream = timeout(limit, TcpStream::connect(&backend.addresses[..]))
        .await
        .unwrap_or_else(|_| {
            Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("no answer within {} ms", limit.as_millis()),
            ))
        })?;

    // As for the client: fails only if the socket is already dead.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

/// Backends are near: one that has not answered after a third of this will not
/// answer. Longer keeps clients waiting for a dead one.
const DEFAULT_CONNECT_TIMEOUT: &str = "1s";

/// The first backend and two others: if those fail, it is not the backends.
const DEFAULT_ATTEMPTS: u32 = 3;
