//! The command line: what concerns the program as a whole. The settings of a station
//! stand in its own files, beside what they set, with the reasons for their defaults.

pub mod value;

use std::net::SocketAddr;

use clap::Parser;

use crate::admit::AdmitSettings;
use crate::backend::address::BackendAddress;
use crate::choose::balance::BalanceSettings;
use crate::choose::budget::BudgetSettings;
use crate::choose::health::HealthSettings;
use crate::connect::pool::PoolSettings;
use crate::relay::idle::IdleSettings;

/// A layer 4 proxy: passes TCP connections on to backends.
///
/// Logs go to standard error; RUST_LOG sets how much (default: info).
#[derive(Debug, Parser)]
#[command(version)]
pub struct Config {
    /// Where to accept clients; port 0 takes a free one, and the choice is printed
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_LISTEN, value_parser = address)]
    pub listen: SocketAddr,

    /// Where connections go, HOST:PORT[,weight=N], repeatable; without it, to
    /// three demo backends. A weight (1 to 256) is used by `--balance weighted`
    #[arg(long = "backend", value_name = "ADDR")]
    pub backends: Vec<BackendAddress>,

    /// How many may come in
    #[command(flatten)]
    pub admit: AdmitSettings,

    /// How a backend is chosen
    #[command(flatten)]
    pub balance: BalanceSettings,

    /// How backends are checked
    #[command(flatten)]
    pub health: HealthSettings,

    /// How long a client is kept waiting
    #[command(flatten)]
    pub connect: BudgetSettings,

    /// What waits for clients
    #[command(flatten)]
    pub pool: PoolSettings,

    /// How long silence may last
    #[command(flatten)]
    pub idle: IdleSettings,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "write an address and a port, as 127.0.0.1:8000".to_owned())
}

/// Reachable from this machine only: a proxy that is tried out should not be
/// open to a network by default.
const DEFAULT_LISTEN: &str = "127.0.0.1:8000";
