//! Real TLS peers: backends with a certificate of their own, and clients that look
//! at it.

use std::io::{self, Read, Write};
use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned,
};

use crate::backend::Backend;
use crate::peer::Peer;
use crate::record::DEADLINE;

/// A certificate, and the key that proves it.
#[derive(Debug)]
pub struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    /// Signed by nobody but itself, and good for these names.
    pub fn new(names: &[&str]) -> Self {
        let names: Vec<_> = names.iter().copied().map(String::from).collect();
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(names).expect("these are names");
        Self {
            certificate: cert.into(),
            key: signing_key
                .serialize_der()
                .try_into()
                .expect("a key that was just made"),
        }
    }

    /// A backend that proves this identity, and answers each message with `name` before it.
    pub fn serve(&self, name: &'static str) -> Backend {
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], self.key.clone_key())
            .expect("the key belongs to the certificate");
        let config = Arc::new(config);

        Backend::start(move |peer, _| {
            // What a client or a scanner does wrong is not this backend's concern.
            let _ = talk(&peer, Arc::clone(&config), name);
        })
    }
}

fn talk(peer: &Peer, config: Arc<ServerConfig>, name: &str) -> io::Result<()> {
    let connection = ServerConnection::new(config).map_err(io::Error::other)?;
    let mut stream = StreamOwned::new(connection, peer.stream());
    let mut message = vec![0; 1024];
    let count = stream.read(&mut message)?;
    stream.write_all(format!("{name}: ").as_bytes())?;
    stream.write_all(&message[..count])?;
    stream.conn.send_close_notify();
    stream.flush()
}

/// Asks for `server` over a connection and sends `message`. Returns the number of
/// the identity that the server has proven, and its answer.
pub fn ask(
    client: &Peer,
    server: &'static str,
    message: &str,
    known: &[&Identity],
) -> io::Result<(usize, String)> {
    let mut roots = RootCertStore::empty();
    for identity in known {
        roots
            .add(identity.certificate.clone())
            .map_err(io::Error::other)?;
    }
    let config = ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(server).expect("this is a name");
    let connection = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;

    client.stream().set_read_timeout(Some(DEADLINE))?;
    let mut stream = StreamOwned::new(connection, client.stream());
    stream.write_all(message.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;

    let shown = stream.conn.peer_certificates().and_then(<[_]>::first);
    let shown = known
        .iter()
        .position(|identity| Some(&identity.certificate) == shown);
    Ok((
        shown.ok_or_else(|| io::Error::other("an unknown certificate"))?,
        answer,
    ))
}
