//! Station *relay*: copies bytes both ways until both sides have ended.

pub mod idle;
pub mod meter;

use tokio::io::copy_bidirectional;
use tokio::net::TcpStream;

use crate::account::Record;
use crate::backend::Backend;
use crate::error::Error;
use crate::proxy::Proxy;
use crate::relay::idle::unless_idle;
use crate::relay::meter::{Metered, Side};

/// Passes bytes on in both directions.
///
/// A side that has sent its last byte may still wait for the answer (RFC 9293,
/// section 3.6), so an end of stream is passed on by itself, and the other
/// direction goes on until it ends too. An error on either side ends both, and so
/// does a long silence.
pub async fn relay(
    proxy: &Proxy,
    client: TcpStream,
    stream: TcpStream,
    backend: &Backend,
    record: &Record,
) -> Result<(), Error> {
    let (from_client, from_backend) = (&record.from_client, &record.from_backend);
    let mut client = Metered::new(client, from_client);
    let mut stream = Metered::new(stream, from_backend);

    let copy = copy_bidirectional(&mut client, &mut stream);
    let result = unless_idle(copy, &proxy.config.idle, from_client, from_backend).await;

    // A backend that accepts and hangs up passes every check that only connects.
    if from_backend.bytes() == 0 {
        backend.suspect();
    }

    result?.map_err(|source| Error::Relay {
        backend: backend.name.clone(),
        side: if from_client.has_failed() {
            Side::Client
        } else {
            Side::Backend
        },
        source,
    })?;
    Ok(())
}
