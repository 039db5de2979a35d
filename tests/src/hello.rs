//! The first message of a TLS client, byte by byte.
//!
//! A real client makes one form of hello only, and hides it, so most are built here;
//! but what real clients send has been captured, too.

/// A ClientHello of TLS 1.3 that asks for `name`, in one record.
pub fn hello(name: &str) -> Vec<u8> {
    hello_with(&[server_name(name)])
}

/// The same with other extensions in the place of the name.
pub fn hello_with(extensions: &[Vec<u8>]) -> Vec<u8> {
    record(&handshake(extensions))
}

/// A TLS record of type handshake around `content`.
pub fn record(content: &[u8]) -> Vec<u8> {
    [&[0x16, 0x03, 0x01], &length(content)[..], content].concat()
}

/// A ClientHello with these extensions and the usual ones, without a record around it.
pub fn handshake(extensions: &[Vec<u8>]) -> Vec<u8> {
    let extensions = [&extensions.concat()[..], VERSIONS, ALPN].concat();
    message(&[&length(&extensions)[..], &extensions].concat())
}

/// A ClientHello that ends before the extensions, as very old clients have it.
pub fn handshake_without_extensions() -> Vec<u8> {
    message(&[])
}

fn message(extensions: &[u8]) -> Vec<u8> {
    let body = [
        // Version 1.2, a random number, a session id, two cipher suites, no compression.
        &[0x03, 0x03][..],
        &(0..32).collect::<Vec<u8>>(),
        &[32],
        &[0; 32],
        &[0x00, 0x04, 0x13, 0x01, 0xc0, 0x2f],
        &[0x01, 0x00],
        extensions,
    ]
    .concat();
    // The length of a handshake message has 24 bits; the first are zero here.
    [&[0x01, 0x00], &length(&body)[..], &body].concat()
}

/// The extension that names the server.
pub fn server_name(name: &str) -> Vec<u8> {
    server_names(&[(HOST_NAME, name)])
}

/// The same with a list of names, each with its type.
pub fn server_names(names: &[(u8, &str)]) -> Vec<u8> {
    let list: Vec<u8> = names
        .iter()
        .flat_map(|(kind, name)| [&[*kind], &length(name.as_bytes())[..], name.as_bytes()].concat())
        .collect();
    extension(0, &[&length(&list)[..], &list].concat())
}

/// An extension that makes the hello longer by `size` and 4 bytes (RFC 7685).
pub fn padding(size: usize) -> Vec<u8> {
    extension(21, &vec![0; size])
}

/// A hello that asks for `name` and offers these protocols instead of h2.
pub fn hello_offering(name: &str, protocols: &[&str]) -> Vec<u8> {
    let list: Vec<u8> = protocols
        .iter()
        .flat_map(|protocol| {
            let length = u8::try_from(protocol.len()).expect("a protocol's name is short");
            [&[length], protocol.as_bytes()].concat()
        })
        .collect();
    let alpn = extension(16, &[&length(&list)[..], &list].concat());
    let extensions = [&server_name(name), VERSIONS, &alpn].concat();
    record(&message(&[&length(&extensions)[..], &extensions].concat()))
}

/// Any extension.
pub fn extension(kind: u16, content: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &length(content), content].concat()
}

/// A hello in the form of SSL 2, as RFC 5246, appendix E.2, has it, for this version.
pub fn ssl_v2(version: [u8; 2]) -> Vec<u8> {
    let head = [0x80, 0x2e, 0x01, version[0], version[1]];
    [&head[..], &[0, 0x15, 0, 0, 0, 0x10], &[0; 37]].concat()
}

fn length(of: &[u8]) -> [u8; 2] {
    u16::try_from(of.len())
        .expect("what a test builds fits into 16 bits")
        .to_be_bytes()
}

/// What real clients have sent, and who they were. All ask for `a.example.com`, except
/// the one that asks for nobody. `tests/hellos/README.md` says how they were caught.
pub const CAPTURED: [(&str, &[u8]); 7] = [
    ("openssl 1.3", include_bytes!("../hellos/openssl-1.3.bin")),
    ("openssl 1.2", include_bytes!("../hellos/openssl-1.2.bin")),
    (
        "openssl, no name",
        include_bytes!("../hellos/openssl-no-name.bin"),
    ),
    (
        "openssl, two records",
        include_bytes!("../hellos/openssl-two-records.bin"),
    ),
    ("curl", include_bytes!("../hellos/curl.bin")),
    ("node", include_bytes!("../hellos/node.bin")),
    ("chromium", include_bytes!("../hellos/chromium.bin")),
];

/// The type of a server name that is one; there is no other so far.
pub const HOST_NAME: u8 = 0;

/// Supported versions: 1.3 and 1.2.
const VERSIONS: &[u8] = &[0x00, 0x2b, 0x00, 0x05, 0x04, 0x03, 0x04, 0x03, 0x03];

/// ALPN: h2.
const ALPN: &[u8] = &[0x00, 0x10, 0x00, 0x05, 0x00, 0x03, 0x02, b'h', b'2'];

#[cfg(test)]
mod tests;
