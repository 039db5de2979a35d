//! The first message of a TLS client, byte by byte.
//!
//! A real client is of no use here: it makes one form of hello only, and hides it.

/// A ClientHello of TLS 1.3 that asks for `name`, in one record.
pub fn hello(name: &str) -> Vec<u8> {
    record(&handshake(&[
        server_name(name),
        // Supported versions: 1.3 and 1.2.
        vec![0x00, 0x2b, 0x00, 0x05, 0x04, 0x03, 0x04, 0x03, 0x03],
        // ALPN: h2.
        vec![0x00, 0x10, 0x00, 0x05, 0x00, 0x03, 0x02, b'h', b'2'],
    ]))
}

/// A TLS record of type handshake around `content`.
pub fn record(content: &[u8]) -> Vec<u8> {
    [&[0x16, 0x03, 0x01], &length(content)[..], content].concat()
}

/// A ClientHello with these extensions, without a record around it.
pub fn handshake(extensions: &[Vec<u8>]) -> Vec<u8> {
    let extensions = extensions.concat();
    let body = [
        // Version 1.2, a random number, a session id, two cipher suites, no compression.
        &[0x03, 0x03][..],
        &(0..32).collect::<Vec<u8>>(),
        &[32],
        &[0; 32],
        &[0x00, 0x04, 0x13, 0x01, 0xc0, 0x2f],
        &[0x01, 0x00],
        &length(&extensions),
        &extensions,
    ]
    .concat();
    [&[0x01, 0x00], &length(&body)[..], &body].concat()
}

/// The extension that names the server.
pub fn server_name(name: &str) -> Vec<u8> {
    let name = name.as_bytes();
    let entry = [&[0x00], &length(name)[..], name].concat();
    let list = [&length(&entry)[..], &entry].concat();
    [&[0x00, 0x00], &length(&list)[..], &list].concat()
}

fn length(of: &[u8]) -> [u8; 2] {
    u16::try_from(of.len())
        .expect("what a test builds fits into one record")
        .to_be_bytes()
}
