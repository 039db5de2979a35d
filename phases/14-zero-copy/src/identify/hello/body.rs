//! What a whole hello says.

use std::net::IpAddr;

use tls_parser::{
    SNIType, TlsExtension, TlsExtensionType, parse_tls_client_hello_extensions,
    parse_tls_handshake_client_hello,
};

/// What a hello says about where its client wants to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// The server's name, in lower case and without the last dot.
    pub name: Option<String>,

    /// The protocols that the client offers to speak above TLS (ALPN, RFC 7301), the
    /// one that it likes best first.
    pub alpn: Vec<Vec<u8>>,

    /// Whether another hello is inside, encrypted (ECH, RFC 9849), or what shall look
    /// like one. The name is then one that may be seen, not the one that is meant.
    pub ech: bool,
}

/// Reads the body of a hello; `None` if it is malformed. That is also what it is if
/// name or protocols come twice (RFC 8446, section 4.2, forbids it): proxy and backend
/// might believe different ones.
pub fn parse(body: &[u8]) -> Option<Hello> {
    let (after_hello, hello) = parse_tls_handshake_client_hello(body).ok()?;
    let (after_extensions, extensions) =
        parse_tls_client_hello_extensions(hello.ext.unwrap_or_default()).ok()?;

    // The parser stops without a word at what it does not understand.
    if !after_hello.is_empty() || !after_extensions.is_empty() {
        return None;
    }

    let (mut names, mut alpn, mut ech) = (Vec::new(), Vec::new(), false);
    for extension in extensions {
        match extension {
            TlsExtension::SNI(list) => names.extend(list),
            TlsExtension::ALPN(list) => alpn.push(list),
            TlsExtension::Unknown(ENCRYPTED_HELLO, _) => ech = true,
            _ => {}
        }
    }
    names.retain(|(kind, _)| *kind == SNIType::HostName);

    // An address is not a name (RFC 6066).
    let name = match names[..] {
        [] => None,
        [(_, name)] => Some(normalise(name)?).filter(|name| name.parse::<IpAddr>().is_err()),
        _ => return None,
    };
    let alpn = match &alpn[..] {
        [] => Vec::new(),
        [protocols] => protocols.iter().map(|protocol| protocol.to_vec()).collect(),
        _ => return None,
    };
    Some(Hello { name, alpn, ech })
}

/// Names are compared without regard to case (RFC 4343), and the dot at the end that
/// some clients send means nothing.
fn normalise(name: &[u8]) -> Option<String> {
    let name = name.strip_suffix(b".").unwrap_or(name);
    let fits = (1..=LONGEST_NAME).contains(&name.len());

    (fits && name.iter().all(u8::is_ascii_graphic))
        .then(|| String::from_utf8_lossy(name).to_ascii_lowercase())
}

const ENCRYPTED_HELLO: TlsExtensionType = TlsExtensionType(0xfe0d);

/// RFC 1035, section 2.3.4.
const LONGEST_NAME: usize = 253;
