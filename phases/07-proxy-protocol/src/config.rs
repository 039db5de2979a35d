//! The command line. Each setting says its unit; each default is a constant
//! below that says why it is what it is.

use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use clap::Parser;
use tracing_subscriber::EnvFilter;

use crate::admit::rate::RateLimit;
use crate::announce::ProxyProtocol;
use crate::backend::address::BackendAddress;
use crate::choose::balance::Balance;

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

    /// How a backend is chosen for a connection
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Balance::RoundRobin)]
    pub balance: Balance,

    /// Time between two checks of a backend, varied by a tenth
    #[arg(long, value_name = "TIME", default_value = DEFAULT_HEALTH_INTERVAL, value_parser = duration)]
    pub health_interval: Duration,

    /// How long a check waits for an answer
    #[arg(long, value_name = "TIME", default_value = DEFAULT_HEALTH_TIMEOUT, value_parser = duration)]
    pub health_timeout: Duration,

    /// Successful checks in a row that bring a backend back
    #[arg(long, value_name = "N", default_value_t = DEFAULT_RISE, value_parser = at_least_one::<u32>)]
    pub rise: u32,

    /// Failed checks in a row that take a backend out; also failed connections in a
    /// row that eject it for a while
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FALL, value_parser = at_least_one::<u32>)]
    pub fall: u32,

    /// How long a client waits for a backend, all attempts together
    #[arg(long, value_name = "TIME", default_value = DEFAULT_CONNECT_TIMEOUT, value_parser = duration)]
    pub connect_timeout: Duration,

    /// How many backends a client tries at most
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ATTEMPTS, value_parser = at_least_one::<u32>)]
    pub attempts: u32,

    /// Connections kept open to each backend for clients to come; 0 for none
    #[arg(long, value_name = "N", default_value_t = DEFAULT_POOL_SIZE)]
    pub pool_size: usize,

    /// Clients served at the same time; one more is closed at once
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_CONNECTIONS, value_parser = at_least_one::<usize>)]
    pub max_connections: usize,

    /// Connections per second and client address (IPv6: per /64 network), as 5/s
    #[arg(long, value_name = "off|N/s", default_value = "off")]
    pub rate_limit: RateLimit,

    /// Connections that an address may open at once before the rate counts
    #[arg(long, value_name = "N", default_value_t = DEFAULT_RATE_BURST, value_parser = at_least_one::<u32>)]
    pub rate_burst: u32,

    /// Ends a connection on which no byte has passed in either direction
    #[arg(long, value_name = "TIME", default_value = DEFAULT_IDLE_TIMEOUT, value_parser = duration)]
    pub idle_timeout: Duration,

    /// The same, once one side has sent its last byte
    #[arg(long, value_name = "TIME", default_value = DEFAULT_HALF_CLOSE_TIMEOUT, value_parser = duration)]
    pub half_close_timeout: Duration,

    /// Tells the backend the client's address, in a PROXY header. Only for backends
    /// that expect one: to all others it is garbage
    #[arg(long, value_name = "FORM", value_enum, default_value_t = ProxyProtocol::Off)]
    pub proxy_protocol: ProxyProtocol,
}

impl Config {
    /// Sends logs to standard error: standard output belongs to the addresses
    /// that a script may want to read.
    pub fn start_logging(&self) {
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));

        tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(io::stderr)
            .with_ansi(io::stderr().is_terminal())
            .init();
    }
}

/// A duration between nothing, which would make an interval a busy loop, and a
/// year, beyond which the clock's arithmetic ends one day.
fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("it must be more than zero".to_owned()),
        Ok(duration) if duration > YEAR => Err("it must be at most a year".to_owned()),
        Ok(duration) => Ok(duration),
        Err(_) => Err("write a number and a unit, as 200ms or 3s".to_owned()),
    }
}

fn at_least_one<T: FromStr + Default + PartialEq>(text: &str) -> Result<T, String> {
    match text.parse() {
        Ok(number) if number != T::default() => Ok(number),
        _ => Err("write a whole number, 1 or more".to_owned()),
    }
}

const YEAR: Duration = Duration::from_hours(24 * 365);

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "write an address and a port, as 127.0.0.1:8000".to_owned())
}

/// Reachable from this machine only: a proxy that is tried out should not be
/// open to a network by default.
const DEFAULT_LISTEN: &str = "127.0.0.1:8000";

/// With three failures to a fall, a dead backend leaves after six to nine
/// seconds. Shorter finds it sooner, and costs each backend more connections.
const DEFAULT_HEALTH_INTERVAL: &str = "3s";

/// A lost SYN is sent again after one second (RFC 6298); a backend that takes
/// longer than that to accept is of no use to clients either.
const DEFAULT_HEALTH_TIMEOUT: &str = "1s";

/// One success can be luck; more would keep capacity out for longer.
const DEFAULT_RISE: u32 = 2;

/// One failure can be a lost packet, two a short pause of the backend.
const DEFAULT_FALL: u32 = 3;

/// Backends are near: one that has not answered after a third of this will not
/// answer. Longer keeps clients waiting for a dead one.
const DEFAULT_CONNECT_TIMEOUT: &str = "1s";

/// The first backend and two others: if those fail, it is not the backends.
const DEFAULT_ATTEMPTS: u32 = 3;

/// Each costs the backend a connection that does nothing. Too few, and a burst
/// finds none left and waits for handshakes as it would without a pool.
const DEFAULT_POOL_SIZE: usize = 4;

/// Two descriptors each, so that twice this and the pools must fit into `ulimit -n`.
/// Too high, and `accept` fails instead, which clients notice as a hang.
const DEFAULT_MAX_CONNECTIONS: usize = 1024;

/// A browser opens about six connections at once, and several people may share an
/// address.
const DEFAULT_RATE_BURST: u32 = 20;

/// As nginx has it. Shorter cuts quiet but living connections, longer keeps those
/// whose client has lost its network.
const DEFAULT_IDLE_TIMEOUT: &str = "10m";

/// Time for an answer after the last byte of the question. Without a limit, peers
/// that never close leave connections for ever.
const DEFAULT_HALF_CLOSE_TIMEOUT: &str = "30s";
