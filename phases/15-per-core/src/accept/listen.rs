//! The places where clients are accepted, and what is asked of those who come there.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::str::FromStr;

use socket2::{Domain, Socket, Type};

/// Whether the first bytes of a client may say where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detect {
    /// They are read, if there is a route that depends on them.
    Tls,

    /// They are left alone. In some protocols the server speaks first (SMTP, SSH,
    /// MySQL), so that the client waits for it as the proxy waits for the client.
    Off,
}

/// A place as it is written on the command line: `127.0.0.1:8000`, then perhaps
/// `,detect=off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListenAddress {
    /// Port 0 stands for a free one.
    pub address: SocketAddr,

    /// What is asked there.
    pub detect: Detect,
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, option) = text.split_once(',').unwrap_or((text, "detect=tls"));

        Ok(Self {
            address: address
                .parse()
                .map_err(|_| "write an address and a port, as 127.0.0.1:8000".to_owned())?,
            detect: match option {
                "detect=tls" => Detect::Tls,
                "detect=off" => Detect::Off,
                _ => return Err(format!("{option:?} is unknown; write ADDR,detect=off")),
            },
        })
    }
}

impl ListenAddress {
    /// Opens so many listeners there. The kernel chooses one of them for each client,
    /// and each has a queue of its own (`SO_REUSEPORT`).
    pub fn open(self, count: usize) -> io::Result<Vec<Listener>> {
        let mut address = self.address;
        let mut listeners = Vec::new();

        for n in 0..count {
            let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
            socket.set_nonblocking(true)?;
            socket.set_reuse_address(true)?;

            // The first one takes the address as if it was to be alone: whoever else
            // shares it, such as this program started twice, is an error, and would
            // silently get a part of the clients otherwise.
            if n > 0 {
                socket.set_reuse_port(true)?;
            }
            socket.bind(&address.into())?;
            socket.set_reuse_port(true)?;
            socket.listen(QUEUE)?;

            let socket = TcpListener::from(socket);
            address = socket.local_addr()?;
            listeners.push(Listener {
                socket,
                detect: self.detect,
            });
        }

        Ok(listeners)
    }
}

/// A place that is open.
#[derive(Debug)]
pub struct Listener {
    /// Where clients queue. It belongs to no runtime yet.
    pub socket: TcpListener,

    /// What is asked of them.
    pub detect: Detect,
}

/// Clients whose handshake is complete, and who wait to be accepted. A worker may be
/// busy for a while, and nobody else accepts from its queue; when the 128 that are
/// usual are full, the next client's packet is dropped, and it tries again after a
/// second. The kernel may allow fewer (`net.core.somaxconn`).
const QUEUE: i32 = 4096;

#[cfg(test)]
mod tests;
