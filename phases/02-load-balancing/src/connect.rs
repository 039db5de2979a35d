//! Station *connect*: dials the backend.

use tokio::net::TcpStream;

use crate::backend::Backend;
use crate::error::Error;

/// Connects to the backend; its addresses are tried in order.
pub async fn connect(backend: &Backend) -> Result<TcpStream, Error> {
    let stream = TcpStream::connect(&backend.addresses[..])
        .await
        .map_err(|source| Error::Connect {
            backend: backend.name.clone(),
            source,
        })?;

    // As for the client: fails only if the socket is already dead.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}
