//! The command line. Each setting says its unit; each default is a constant
//! below that says why it is what it is.

use std::net::SocketAddr;

use clap::Parser;

use crate::backend::address::BackendAddress;

/// A layer 4 proxy: passes TCP connections on to a backend.
///
/// Logs go to standard error; RUST_LOG sets how much (default: info).
#[derive(Debug, Parser)]
#[command(version)]
pub struct Config {
    /// Where to accept clients; port 0 takes a free one, and the choice is printed
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_LISTEN, value_parser = address)]
    pub listen: SocketAddr,

    /// Where connections go, HOST:PORT; without it, to a demo backend
    #[arg(long, value_name = "ADDR")]
    pub backend: Option<BackendAddress>,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "write an address and a port, as 127.0.0.1:8000".to_owned())
}

/// Reachable from this machine only: a proxy that is tried out should not be
/// open to a network by default.
const DEFAULT_LISTEN: &str = "127.0.0.1:8000";
