//! What the first bytes of a client say.

use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::pin::pin;
use std::time::Duration;

use clap::Args;
use tls_parser::{
    SNIType, TlsClientHelloContents, TlsExtension, TlsMessage, TlsMessageHandshake,
    parse_tls_client_hello_extensions, parse_tls_plaintext,
};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::config::value::duration;

/// How long a client may take to say where it wants to go.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Identify")]
pub struct PeekSettings {
    /// How long a client may take to say its name; then it goes to `--backend`
    #[arg(id = "sni-peek-timeout", long, value_name = "TIME", default_value = DEFAULT_SNI_PEEK_TIMEOUT, value_parser = duration)]
    pub timeout: Duration,
}

/// What the first bytes say.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// This name.
    Name(String),

    /// A hello without a name.
    NoName,

    /// A hello that no server could take.
    Malformed,

    /// More than one record.
    TooLarge,

    /// Nothing that was of use in time.
    Timeout,
}

impl Found {
    /// What the metrics call it.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Name(_) => "tls_sni",
            Self::NoName => "tls_no_sni",
            Self::Malformed => "malformed",
            Self::TooLarge => "too_large",
            Self::Timeout => "timeout",
        }
    }
}

/// Peeks until there is a whole hello, or the deadline.
///
/// The deadline is around everything, also the wait for a first byte: a client
/// that waits for the server to speak first must not wait for ever.
pub async fn peek(client: &TcpStream, limit: Duration) -> io::Result<Found> {
    let mut peeking = pin!(peek_hello(client));

    // The clock goes on while the program is stopped. Then it may ring before the
    // runtime has looked at what came meanwhile, so it counts the second time only.
    for limit in [limit, LOOK_AGAIN] {
        if let Ok(found) = timeout(limit, peeking.as_mut()).await {
            return found;
        }
    }
    Ok(Found::Timeout)
}

/// Peeks until there is a whole hello.
///
/// `peek` waits for the first byte, but cannot wait for the next one: as long as
/// there is any, it returns at once with what it has returned before. Asking again
/// at once would take a whole core, and the socket has no other way to ask. So the
/// clock has to do, with pauses that begin short and grow while nothing new comes.
/// The deadline cuts a pause short.
async fn peek_hello(client: &TcpStream) -> io::Result<Found> {
    let mut buffer = vec![0; USUAL_HELLO];
    let mut seen = 0;
    let mut pause = SHORTEST_PAUSE;

    loop {
        let count = client.peek(&mut buffer).await?;

        if count == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        } else if count == seen {
            pause = (pause * 2).min(LONGEST_PAUSE);
        } else if let Some(found) = read_hello(&buffer[..count]) {
            return Ok(found);
        } else {
            seen = count;
            pause = SHORTEST_PAUSE;
        }

        if seen < buffer.len() {
            sleep(pause).await;
        } else if seen < LARGEST_HELLO {
            buffer.resize(LARGEST_HELLO.min(2 * seen), 0);
        } else {
            return Ok(Found::TooLarge);
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

/// Where most hellos end, also with a post-quantum key share (about 1.8 kB).
const USUAL_HELLO: usize = 2048;

/// One record: 5 bytes of header and at most 2^14 of content (RFC 8446, section
/// 5.1). It bounds what one client can make the proxy hold.
const LARGEST_HELLO: usize = 5 + (1 << 14);

/// RFC 1035, section 2.3.4.
const LONGEST_NAME: usize = 253;

/// The clock of the runtime counts in milliseconds.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

/// What a hello in several packets may wait in vain at the end.
const LONGEST_PAUSE: Duration = Duration::from_millis(16);

/// Time for the runtime to look at the sockets. Clients that say nothing wait for it.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Time for the first packet of a client that is some way off. Each client that is
/// not TLS waits this long, whatever it sends: shorter loses the names of the far
/// ones, longer delays all the others.
const DEFAULT_SNI_PEEK_TIMEOUT: &str = "200ms";

#[cfg(test)]
mod tests;
