//! The header itself: who is calling, as bytes.

use std::net::{IpAddr, SocketAddr, SocketAddrV4, SocketAddrV6};

use clap::{Args, ValueEnum};
use proxy_protocol::{ProxyHeader, version1, version2};

/// What backends are told of a client.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Announce")]
pub struct AnnounceSettings {
    /// Tells the backend the client's address, in a PROXY header. Only for backends
    /// that expect one: to all others it is garbage
    #[arg(id = "proxy-protocol", long, value_name = "FORM", value_enum, default_value_t = ProxyProtocol::Off)]
    pub form: ProxyProtocol,
}

/// Whether a header is sent, and in which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProxyProtocol {
    /// No header
    Off,
    /// A line of text
    V1,
    /// The binary form
    V2,
}

impl ProxyProtocol {
    /// The header of a connection that is made for no client: a check.
    pub fn of_nobody(self) -> &'static [u8] {
        match self {
            Self::Off => b"",
            Self::V1 => b"PROXY UNKNOWN\r\n",
            Self::V2 => b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0",
        }
    }
}

/// The bytes of the header; none if it is off.
///
/// The addresses are those of the client's own connection, as the backend would
/// see them if the client had come directly (section 2). The address that the proxy
/// dials from means nothing to it.
pub fn encode(form: ProxyProtocol, source: SocketAddr, destination: SocketAddr) -> Vec<u8> {
    let pair = Pair::new(source, destination);

    let header = match form {
        ProxyProtocol::Off => return Vec::new(),

        ProxyProtocol::V1 => ProxyHeader::Version1 {
            addresses: match pair {
                Pair::V4(source, destination) => version1::ProxyAddresses::Ipv4 {
                    source,
                    destination,
                },
                Pair::V6(source, destination) => version1::ProxyAddresses::Ipv6 {
                    source,
                    destination,
                },
            },
        },

        ProxyProtocol::V2 => ProxyHeader::Version2 {
            command: version2::ProxyCommand::Proxy,
            transport_protocol: version2::ProxyTransportProtocol::Stream,
            addresses: match pair {
                Pair::V4(source, destination) => version2::ProxyAddresses::Ipv4 {
                    source,
                    destination,
                },
                Pair::V6(source, destination) => version2::ProxyAddresses::Ipv6 {
                    source,
                    destination,
                },
            },
        },
    };

    proxy_protocol::encode(header)
        .expect("writing to memory cannot fail")
        .to_vec()
}

/// A header has room for one address family.
#[derive(Debug, Clone, Copy)]
enum Pair {
    V4(SocketAddrV4, SocketAddrV4),

    V6(SocketAddrV6, SocketAddrV6),
}

impl Pair {
    /// An IPv4 client of a socket that listens on IPv6 appears as `::ffff:1.2.3.4`,
    /// which is undone first. If the families still differ, both are written as
    /// IPv6, which can hold either.
    fn new(source: SocketAddr, destination: SocketAddr) -> Self {
        let v6 = |ip: IpAddr, port| match ip {
            IpAddr::V4(ip) => SocketAddrV6::new(ip.to_ipv6_mapped(), port, 0, 0),
            IpAddr::V6(ip) => SocketAddrV6::new(ip, port, 0, 0),
        };

        match (source.ip().to_canonical(), destination.ip().to_canonical()) {
            (IpAddr::V4(from), IpAddr::V4(to)) => Self::V4(
                SocketAddrV4::new(from, source.port()),
                SocketAddrV4::new(to, destination.port()),
            ),
            (from, to) => Self::V6(v6(from, source.port()), v6(to, destination.port())),
        }
    }
}

#[cfg(test)]
mod tests;
