//! Station *connect*: dials the backend.

use std::io::{self, ErrorKind};

use tokio::net::TcpStream;

use crate::backend::Backend;
use crate::error::Error;

/// Connects to the backend; its addresses are tried in order.
pub async fn connect(backend: &Backend) -> Result<TcpStream, Error> {
    TcpStream::connect(&backend.addresses[..])
        .await
        .and_then(settle)
        .map_err(|source| Error::Connect {
            backend: backend.name.clone(),
            source,
        })
}

/// Makes a new connection fit for use.
///
/// A port of this machine on which nobody listens may be the one that the kernel
/// lends to our own end. Such a connection meets itself (RFC 9293, section 3.5), and
/// the client would hear its own words.
fn settle(stream: TcpStream) -> io::Result<TcpStream> {
    if let (Ok(own), Ok(peer)) = (stream.local_addr(), stream.peer_addr())
        && own == peer
    {
        // Closed by a reset, or it would keep the port from the backend for a minute.
        let _ = stream.set_zero_linger();
        return Err(io::Error::new(
            ErrorKind::ConnectionRefused,
            "nobody listens there, and the connection met itself",
        ));
    }

    // As for the client: fails only if the socket is already dead.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

#[cfg(test)]
mod tests;
