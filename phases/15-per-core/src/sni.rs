//! Station *identify*: where does the client want to go? TLS says so in its first
//! message, in the clear (RFC 6066, section 3), so nothing has to be decrypted.

use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::time::Instant;

use tls_parser::{
    SNIType, TlsClientHelloContents, TlsExtension, TlsMessage, TlsMessageHandshake,
    parse_tls_client_hello_extensions, parse_tls_plaintext,
};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::access_log::Record;
use crate::balance::Balancer;
use crate::error::Error;
use crate::listen::Detect;
use crate::proxy::Proxy;

/// Finds the backends for a client by the name that it asks for. Without `--sni`
/// nobody is asked.
///
/// The bytes that were read on the way are returned for the relay.
pub async fn identify<'a>(
    proxy: &'a Proxy,
    detect: Detect,
    client: &mut TcpStream,
    record: &mut Record,
) -> Result<(&'a Balancer, Vec<u8>), Error> {
    let mut early = Vec::new();
    if detect == Detect::Off || proxy.routes.is_empty() {
        return Ok((&proxy.balancer, early));
    }

    // The deadline is around everything, also the wait for a first byte: a client
    // that waits for the server to speak first must not wait for ever.
    let started = Instant::now();
    let peeked = timeout(proxy.config.sni_peek_timeout, peek(client, &mut early)).await;
    let found = peeked.unwrap_or(Ok(Found::Timeout));

    let label = found.as_ref().map_or("eof", Found::label);
    record.identified(label, started.elapsed());

    match found.map_err(|source| Error::Identify { source })? {
        Found::Name(name) => {
            let balancer = proxy.routes.find(&name).unwrap_or(&proxy.balancer);
            record.named(name);
            Ok((balancer, early))
        }
        _ => Ok((&proxy.balancer, early)),
    }
}

/// What the first bytes say.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    Name(String),

    NoName,

    Malformed,

    TooLarge,

    Timeout,
}

impl Found {
    fn label(&self) -> &'static str {
        match self {
            Self::Name(_) => "tls_sni",
            Self::NoName => "tls_no_sni",
            Self::Malformed => "malformed",
            Self::TooLarge => "too_large",
            Self::Timeout => "timeout",
        }
    }
}

/// Reads until there is a whole hello.
async fn peek(client: &mut TcpStream, early: &mut Vec<u8>) -> io::Result<Found> {
    loop {
        if early.len() >= LARGEST_HELLO {
            return Ok(Found::TooLarge);
        }

        if client.read_buf(early).await? == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        if let Some(found) = read_hello(early) {
            return Ok(found);
        }
    }
}

/// Reads a hello; `None` if there is none yet. "Not all there" and "not TLS at all"
/// look alike here, and so they wait alike.
fn read_hello(bytes: &[u8]) -> Option<Found> {
    let (_, record) = parse_tls_plaintext(bytes).ok()?;

    match record.msg.first()? {
        TlsMessage::Handshake(TlsMessageHandshake::ClientHello(hello)) => Some(read_name(hello)),
        _ => None,
    }
}

/// Takes the name out of a hello. If it is said twice, backend and proxy might
/// believe different ones (RFC 8446, section 4.2, forbids it), so none counts.
fn read_name(hello: &TlsClientHelloContents<'_>) -> Found {
    let Ok((rest, extensions)) = parse_tls_client_hello_extensions(hello.ext.unwrap_or_default())
    else {
        return Found::Malformed;
    };

    let names: Vec<_> = extensions
        .iter()
        .filter_map(|extension| match extension {
            TlsExtension::SNI(names) => Some(names),
            _ => None,
        })
        .flatten()
        .filter(|(kind, _)| *kind == SNIType::HostName)
        .collect();

    match names[..] {
        _ if !rest.is_empty() => Found::Malformed,
        [] => Found::NoName,
        [(_, name)] => normalise(name),
        _ => Found::Malformed,
    }
}

/// Names are compared without regard to case (RFC 4343); the dot at the end that
/// some clients send means nothing, and an address is not a name (RFC 6066).
fn normalise(name: &[u8]) -> Found {
    let name = name.strip_suffix(b".").unwrap_or(name);
    if name.is_empty() || name.len() > LONGEST_NAME || !name.iter().all(u8::is_ascii_graphic) {
        return Found::Malformed;
    }

    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    if name.parse::<IpAddr>().is_ok() {
        Found::NoName
    } else {
        Found::Name(name)
    }
}

/// One record: 5 bytes of header and at most 2^14 of content (RFC 8446, section
/// 5.1). It bounds what one client can make the proxy hold.
const LARGEST_HELLO: usize = 5 + (1 << 14);

/// RFC 1035, section 2.3.4.
const LONGEST_NAME: usize = 253;

#[cfg(test)]
mod tests;
