//! Station *connect*: dials the backend.

use std::io::{self, ErrorKind};

use tokio::net::TcpStream;

use crate::backend::Backend;
use crate::error::Error;

/// Connects a client to the backend.
pub async fn connect(backend: &Backend) -> Result<TcpStream, Error> {
    dial(backend).await.map_err(|source| Error::Connect {
        backend: backend.name.clone(),
        source,
    })
}

/// Opens a connection to the backend; its addresses are tried in order.
pub async fn dial(backend: &Backend) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(&backend.addresses[..]).await?;

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
