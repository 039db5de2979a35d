//! Station *relay*: copies bytes both ways until both sides have ended.

use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

use crate::backend::Backend;
use crate::error::Error;

/// Passes bytes on in both directions.
///
/// A side that has sent its last byte may still wait for the answer (RFC 9293,
/// section 3.6), so an end of stream is passed on by itself, and the other
/// direction goes on until it ends too. An error on either side ends both.
pub async fn relay(
    mut client: TcpStream,
    mut stream: TcpStream,
    backend: &Backend,
) -> Result<(), Error> {
    let result = copy_bidirectional(&mut client, &mut stream).await;

    // A backend that accepts and hangs up passes every check that only connects.
    if !matches!(result, Ok((_, 1..))) {
        backend.suspect();
    }

    result.map_err(|source| Error::Relay {
        backend: backend.name.clone(),
        source,
    })?;
    Ok(())
}
