//! Station *connect*: dials the backend.

pub mod pool;

use std::io::{self, ErrorKind};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::backend::Backend;
use crate::error::Error;

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

/// Whether an error of [`dial`] is the backend's. A lack of our own, of descriptors
/// or of ports, says nothing about it: a busy proxy must not believe that all its
/// backends have died.
pub fn blames_backend(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::TimedOut
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
    )
}
