//! Station *connect*: dials the backend.

pub mod blame;
pub mod pool;
pub mod refill;

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;

#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::backend::Backend;
use crate::error::Error;

/// Connects a client to the backend, at once if the pool has a connection.
pub async fn connect(backend: &Backend, limit: Duration) -> Result<TcpStream, Error> {
    if let Some(stream) = backend.pool.take() {
        return Ok(stream);
    }

    let stream = dial(backend, limit).await;
    let stream = stream.map_err(|source| Error::Connect {
        backend: backend.name.clone(),
        source,
    })?;

    backend.connected();
    Ok(stream)
}

/// Opens a connection to the backend within `limit`.
pub async fn dial(backend: &Backend, limit: Duration) -> io::Result<TcpStream> {
    try_each(backend, limit, |_| ()).await
}

/// Asks within `limit` whether anybody listens, so quietly that the program behind
/// the port does not hear of it.
///
/// The kernel answers the first packet of a connection without asking its program.
/// Instead of the last packet of the handshake we send a reset. So there is nothing to
/// accept, and no server counts a client that came and said nothing.
pub async fn knock(backend: &Backend, limit: Duration) -> io::Result<()> {
    let quiet = |socket: &TcpSocket| {
        let _ = socket.set_zero_linger();

        // Elsewhere the last packet is sent before the reset, and the program hears of
        // both.
        #[cfg(target_os = "linux")]
        let _ = SockRef::from(socket).set_tcp_quickack(false);
    };
    try_each(backend, limit, quiet).await.map(drop)
}

/// Opens a connection to the first address that answers. Each gets an equal part of
/// the time: one that swallows packets must not use up the turn of the one that would
/// have answered.
async fn try_each(
    backend: &Backend,
    limit: Duration,
    prepare: impl Fn(&TcpSocket),
) -> io::Result<TcpStream> {
    let addresses = backend.in_order();
    let part = limit / u32::try_from(addresses.len()).unwrap_or(u32::MAX);
    let mut failure = ErrorKind::AddrNotAvailable.into();

    for address in addresses {
        let answer = timeout(part, open(address, &prepare)).await;

        match answer.unwrap_or_else(|_| Err(no_answer_within(part))) {
            Ok(stream) => {
                backend.prefer(address);
                return Ok(stream);
            }
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

async fn open(address: SocketAddr, prepare: impl Fn(&TcpSocket)) -> io::Result<TcpStream> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    prepare(&socket);
    socket.connect(address).await.and_then(settle)
}

fn no_answer_within(limit: Duration) -> io::Error {
    let text = format!("no answer within {} ms", limit.as_millis());
    io::Error::new(ErrorKind::TimedOut, text)
}

/// Makes a new connection fit for use.
///
/// A port of this machine on which nobody listens may be the one that the kernel
/// lends to our own end. Such a connection meets itself (RFC 9293, section 3.5), and
/// the client would hear its own words.
fn settle(stream: TcpStream) -> io::Result<TcpStream> {
    if let (Ok(own), Ok(peer)) = (stream.local_addr(), stream.peer_addr())
        && own == peer
    {
        // Closed by a reset, or it would keep the port from the backend for a minute.
        let _ = stream.set_zero_linger();
        return Err(io::Error::new(
            ErrorKind::ConnectionRefused,
            "nobody listens there, and the connection met itself",
        ));
    }

    // As for the client: fails only if the socket is already dead.
    let _ = stream.set_nodelay(true);
    Ok(stream)
}

#[cfg(test)]
mod tests;
