//! The PROXY header, version 1 (a line of text) and 2 (binary): a proxy's note about whom it
//! speaks for. Nothing here reads or writes a socket.

#[cfg(test)]
mod tests;

use std::net::SocketAddr;

use proxy_header::{Error, ParseConfig, ProxyHeader};

/// What the bytes that have arrived so far say.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// They begin like a header and may become one.
    NeedMore,
    /// They are no header and cannot become one.
    NotThis,
    /// They begin with this header.
    Parsed(Header),
}

/// A complete header.
#[derive(Debug, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the header, everything in it included.
    pub length: usize,
    /// 1 or 2.
    pub version: u8,
    /// The client, unless the proxy speaks for itself (LOCAL) or does not know (UNKNOWN).
    pub client: Option<SocketAddr>,
}

/// Looks for a header at the front of `bytes`.
///
/// A broken header is no header, so it is echoed: whoever wrote it sees what has arrived.
pub fn parse(bytes: &[u8]) -> Answer {
    // The crate looks at the first bytes only when 15 (version 2: 16) are there. Shorter input
    // that is something else must not wait for them.
    let begins = |start: &[u8]| bytes.starts_with(start) || start.starts_with(bytes);
    let (version, limit) = if begins(V1_START) {
        (1, V1_LIMIT)
    } else if begins(V2_START) {
        (2, v2_limit(bytes))
    } else {
        return Answer::NotThis;
    };

    let config = ParseConfig {
        include_tlvs: false,
        ..ParseConfig::default()
    };
    match ProxyHeader::parse(bytes, config) {
        Ok((header, length)) if length <= limit => Answer::Parsed(Header {
            length,
            version,
            client: header.proxied_address().map(|seen| unmapped(seen.source)),
        }),
        Err(Error::BufferTooShort) if bytes.len() < limit => Answer::NeedMore,
        _ => Answer::NotThis,
    }
}

/// A version 2 header says how long it is, right after its start. The crate would go on asking for
/// more when that is too short for the addresses.
fn v2_limit(bytes: &[u8]) -> usize {
    match bytes.get(V2_START.len() + 2..V2_FIXED) {
        Some(&[high, low]) => match usize::from(u16::from_be_bytes([high, low])) {
            length if length <= V2_MAX => V2_FIXED + length,
            _ => 0,
        },
        _ => V2_FIXED,
    }
}

/// Writes an IPv4 address as such even if it came through an IPv6 socket.
pub fn unmapped(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip().to_canonical(), address.port())
}

const V1_START: &[u8] = b"PROXY ";

/// The longest line that the specification allows, CRLF included.
const V1_LIMIT: usize = 107;

const V2_START: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";

/// The start, command, family and length.
const V2_FIXED: usize = V2_START.len() + 4;

/// Bytes after the fixed part: two IPv6 addresses and 4 KiB of extensions, which nobody reads
/// here. HAProxy and cloud balancers send some hundred; the length field would let one client make
/// a backend remember 64 KiB.
const V2_MAX: usize = 36 + 4096;
