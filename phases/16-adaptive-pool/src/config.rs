//! The command line: what concerns the program as a whole. The settings of a station
//! stand in its own files, beside what they set, with the reasons for their defaults.

pub mod value;

use clap::Parser;

use crate::accept::listen::ListenAddress;
use crate::account::endpoint::MetricsSettings;
use crate::admit::AdmitSettings;
use crate::announce::header::AnnounceSettings;
use crate::backend::address::BackendAddress;
use crate::choose::balance::BalanceSettings;
use crate::choose::budget::BudgetSettings;
use crate::choose::health::HealthSettings;
use crate::config::value::at_least_one;
use crate::connect::pool::PoolSettings;
use crate::fault::FaultSettings;
use crate::identify::peek::PeekSettings;
use crate::identify::route::RouteSettings;
use crate::leave::LeaveSettings;
use crate::log::LogFormat;
use crate::relay::idle::IdleSettings;
use crate::relay::pipe::SpliceSettings;

/// A layer 4 proxy: passes TCP connections on to backends.
///
/// Logs go to standard error; RUST_LOG sets how much (default: info).
#[derive(Debug, Clone, Parser)]
#[command(version)]
pub struct Config {
    /// Where to accept clients, ADDR[,detect=off], repeatable; port 0 takes a free
    /// one, and the choice is printed. With `detect=off` clients are not asked for a
    /// name, as where the server has to speak first
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_LISTEN)]
    pub listen: Vec<ListenAddress>,

    /// Where connections go, HOST:PORT[,weight=N][,pool=off], repeatable; without it,
    /// to three demo backends. A weight (1 to 256) is used by `--balance weighted`.
    /// With pool=off none waits there, as where the backend's greeting must be fresh
    #[arg(long = "backend", value_name = "ADDR")]
    pub backends: Vec<BackendAddress>,

    /// The form of the log
    #[arg(long, value_name = "FORM", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,

    /// Threads that serve clients, each with listeners and connections of its own [default:
    /// as many as there are cores]
    #[arg(long, value_name = "N", value_parser = at_least_one::<usize>)]
    pub workers: Option<usize>,

    /// How many may come in
    #[command(flatten)]
    pub admit: AdmitSettings,

    /// What is broken on purpose
    #[command(flatten)]
    pub fault: FaultSettings,

    /// Which names lead where
    #[command(flatten)]
    pub route: RouteSettings,

    /// How long a client is asked
    #[command(flatten)]
    pub peek: PeekSettings,

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

    /// What backends are told
    #[command(flatten)]
    pub announce: AnnounceSettings,

    /// How long silence may last
    #[command(flatten)]
    pub idle: IdleSettings,

    /// Which way bytes go
    #[command(flatten)]
    pub splice: SpliceSettings,

    /// Where the metrics are
    #[command(flatten)]
    pub metrics: MetricsSettings,

    /// How long leaving may take
    #[command(flatten)]
    pub leave: LeaveSettings,
}

/// Reachable from this machine only: a proxy that is tried out should not be
/// open to a network by default.
const DEFAULT_LISTEN: &str = "127.0.0.1:8000";
