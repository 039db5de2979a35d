//! The places where clients are accepted, and what is asked of those who come there.

use std::net::SocketAddr;
use std::str::FromStr;

use tokio::net::TcpListener;

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

/// A place that is open.
#[derive(Debug)]
pub struct Listener {
    /// Where clients queue.
    pub socket: TcpListener,

    /// What is asked of them.
    pub detect: Detect,
}
