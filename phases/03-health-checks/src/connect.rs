//! Station *connect*: dials the backend.

pub mod blame;

use std::io;

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
