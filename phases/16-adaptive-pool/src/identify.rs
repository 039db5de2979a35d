//! Station *identify*: where does the client want to go? TLS says so in its first
//! message, in the clear (RFC 6066, section 3), so nothing has to be decrypted.

pub mod hello;
pub mod route;

use std::io::{self, ErrorKind};
use std::time::Instant;

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::accept::listen::Detect;
use crate::account::Record;
use crate::choose::balance::Balancer;
use crate::error::Error;
use crate::identify::hello::{Answer, Hello, Reader};
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

    // The deadline is only for those who say nothing, or their name slowly: all others
    // are answered at their first bytes. What has come by then is kept.
    let started = Instant::now();
    let mut early = Vec::with_capacity(USUAL_HELLO);
    let found = timeout(proxy.config.sni_peek_timeout, ask(client, &mut early))
        .await
        .unwrap_or(Ok(("timeout", None)));

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

/// Reads until the bytes are settled, and says for the metrics what they are.
///
/// Whoever leaves without a word goes nowhere. Whoever says something and then no
/// more (FIN) may still want an answer.
async fn ask(
    client: &mut TcpStream,
    early: &mut Vec<u8>,
) -> io::Result<(&'static str, Option<Hello>)> {
    let mut reader = Reader::default();

    loop {
        if client.read_buf(early).await? == 0 {
            return if early.is_empty() {
                Err(ErrorKind::UnexpectedEof.into())
            } else {
                Ok(("eof", None))
            };
        }

        let label = match reader.read(early) {
            Answer::NeedMore => continue,
            Answer::Hello(hello) if hello.name.is_some() => return Ok(("tls_sni", Some(hello))),
            Answer::Hello(hello) => return Ok(("tls_no_sni", Some(hello))),
            Answer::NotTls => "not_tls",
            Answer::SslV2 => "sslv2",
            Answer::Malformed => "malformed",
            Answer::TooLarge => "too_large",
        };
        return Ok((label, None));
    }
}

/// Where most hellos end, also with a post-quantum key share (about 1.8 kB). The
/// buffer doubles when it is full.
const USUAL_HELLO: usize = 2048;

#[cfg(test)]
mod tests;
