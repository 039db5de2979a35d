//! Station *identify*: where does the client want to go? TLS says so in its first
//! message, in the clear (RFC 6066, section 3), so nothing has to be decrypted.

pub mod pattern;
pub mod peek;
pub mod route;

use std::time::Instant;

use tokio::net::TcpStream;

use crate::account::Record;
use crate::choose::balance::Balancer;
use crate::error::Error;
use crate::identify::peek::{Found, peek};
use crate::proxy::Proxy;

/// Finds the backends for a client by the name that it asks for. Without `--sni`
/// nobody is asked.
///
/// The bytes are only looked at: they stay in the socket for the relay.
pub async fn identify<'a>(
    proxy: &'a Proxy,
    client: &TcpStream,
    record: &mut Record,
) -> Result<&'a Balancer, Error> {
    if proxy.routes.is_empty() {
        return Ok(&proxy.balancer);
    }

    let started = Instant::now();
    let found = peek(client, proxy.config.peek.timeout).await;

    let label = found.as_ref().map_or("eof", Found::label);
    record.identified(label, started.elapsed());

    match found.map_err(|source| Error::Identify { source })? {
        Found::Name(name) => {
            let balancer = proxy.routes.find(&name).unwrap_or(&proxy.balancer);
            record.named(name);
            Ok(balancer)
        }
        _ => Ok(&proxy.balancer),
    }
}
