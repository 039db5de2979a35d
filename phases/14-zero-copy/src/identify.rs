//! Station *identify*: where does the client want to go? TLS says so in its first
//! message, in the clear (RFC 6066, section 3), so nothing has to be decrypted.

pub mod hello;
pub mod pattern;
pub mod peek;
pub mod route;

use std::time::Instant;

use tokio::net::TcpStream;

use crate::accept::listen::Detect;
use crate::account::Record;
use crate::choose::balance::Balancer;
use crate::error::Error;
use crate::identify::peek::peek;
use crate::proxy::Proxy;

/// Finds the backends for a client by the name that it asks for. Without `--sni`
/// nobody is asked, nor where that is off.
///
/// The bytes that were read on the way are returned for the relay.
pub async fn identify<'a>(
    proxy: &'a Proxy,
    detect: Detect,
    client: &mut TcpStream,
    record: &mut Record,
) -> Result<(&'a Balancer, Vec<u8>), Error> {
    if detect == Detect::Off || proxy.routes.is_empty() {
        return Ok((&proxy.balancer, Vec::new()));
    }

    let started = Instant::now();
    let mut early = Vec::new();
    let found = peek(client, &mut early, proxy.config.peek.timeout).await;

    let label = found.as_ref().map_or("eof", |(label, _)| label);
    record.identified(label, started.elapsed());

    let (_, hello) = found.map_err(|source| Error::Identify { source })?;
    let mut balancer = None;
    if let Some(hello) = hello {
        let name = hello.name.as_deref();
        balancer = name.and_then(|name| proxy.routes.find(name, &hello.alpn));
        record.asked_for(hello);
    }
    Ok((balancer.unwrap_or(&proxy.balancer), early))
}
