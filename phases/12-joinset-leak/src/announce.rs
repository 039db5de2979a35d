//! Station *announce*: tells the backend who is calling, by a PROXY header
//! (HAProxy's `proxy-protocol.txt`) in front of the client's bytes.

pub mod header;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::announce::header::{ProxyProtocol, encode};
use crate::backend::Backend;
use crate::error::Error;
use crate::proxy::Proxy;

/// Sends the header for `client`, if one is wanted.
///
/// It has to be the very first bytes on the connection, and it names one client:
/// that is why a connection in the pool carries none before it is taken out.
pub async fn announce(
    proxy: &Proxy,
    client: &TcpStream,
    stream: &mut TcpStream,
    backend: &Backend,
) -> Result<(), Error> {
    if proxy.config.announce.form == ProxyProtocol::Off {
        return Ok(());
    }

    let header = match (client.peer_addr(), client.local_addr()) {
        (Ok(source), Ok(destination)) => encode(proxy.config.announce.form, source, destination),
        // The client is gone, and the system has forgotten its addresses.
        (Err(source), _) | (_, Err(source)) => return Err(Error::Client { source }),
    };

    stream.write_all(&header).await.map_err(|source| {
        backend.suspect();
        Error::Announce {
            backend: backend.name.clone(),
            source,
        }
    })
}
