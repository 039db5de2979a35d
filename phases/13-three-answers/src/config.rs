//! The command line. Each setting says its unit; each default is a constant
//! below that says why it is what it is.

use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use tracing_subscriber::EnvFilter;

use crate::accept::listen::ListenAddress;
use crate::admit::rate::RateLimit;
use crate::announce::ProxyProtocol;
use crate::backend::address::BackendAddress;
use crate::choose::balance::Balance;
use crate::fault::{Delay, probability};
use crate::identify::route::SniRoute;

/// A layer 4 proxy: passes TCP connections on to backends.
///
/// Logs go to standard error; RUST_LOG sets how much (default: info).
#[derive(Debug, Parser)]
#[command(version)]
pub struct Config {
    /// Where to accept clients, ADDR[,detect=off], repeatable; port 0 takes a free
    /// one, and the choice is printed. With `detect=off` clients are not asked for a
    /// name, as where the server has to speak first
    #[arg(long, value_name = "ADDR", default_value = DEFAULT_LISTEN)]
    pub listen: Vec<ListenAddress>,

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

    /// Where Prometheus finds the metrics, under /metrics
    #[arg(long, value_name = "off|ADDR", default_value = DEFAULT_METRICS)]
    pub metrics: MetricsAddress,

    /// The form of the log
    #[arg(long, value_name = "FORM", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,

    /// Holds some connections up before they reach a backend: how many of them (0
    /// to 1), and for how long
    #[arg(long, value_name = "P,TIME")]
    pub fault_delay: Option<Delay>,

    /// Closes some connections before they reach a backend: how many of them (0 to 1)
    #[arg(long, value_name = "P", value_parser = probability)]
    pub fault_disconnect: Option<f64>,

    /// Repeats the faults of the run that printed this seed
    #[arg(long, value_name = "N")]
    pub fault_seed: Option<u64>,

    /// Where TLS clients go that ask for a name, NAME[,alpn=ID]=HOST:PORT[,weight=N],
    /// repeatable; the same name again adds a backend. `*.example.com` stands for
    /// all names below example.com. The most specific name wins, then the protocol
    /// (ALPN) that the client likes best. All others go to the backends of `--backend`
    #[arg(long, value_name = "NAME=ADDR")]
    pub sni: Vec<SniRoute>,

    /// How long a client may say nothing, or only a part of its name; then it goes to
    /// `--backend`. Clients that do not speak TLS do not wait
    #[arg(long, value_name = "TIME", default_value = DEFAULT_SNI_PEEK_TIMEOUT, value_parser = duration)]
    pub sni_peek_timeout: Duration,

    /// How long connections may go on after SIGTERM or SIGINT; then they are cut
    #[arg(long, value_name = "TIME", default_value = DEFAULT_DRAIN_TIMEOUT, value_parser = duration)]
    pub drain_timeout: Duration,
}

impl Config {
    /// Sends logs to standard error: standard output belongs to the addresses
    /// that a script may want to read.
    pub fn start_logging(&self) {
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));

        let log = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(io::stderr)
            .with_ansi(io::stderr().is_terminal());
        match self.log_format {
            LogFormat::Text => log.init(),
            LogFormat::Json => log.json().flatten_event(true).init(),
        }
    }
}

/// Where the metrics are served, if they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsAddress {
    /// Nowhere.
    Off,

    /// Here.
    At(SocketAddr),
}

impl FromStr for MetricsAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            _ if text == "off" => Ok(Self::Off),
            Ok(address) => Ok(Self::At(address)),
            Err(_) => Err("write off, or an address as 127.0.0.1:9100".to_owned()),
        }
    }
}

/// The forms of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// For programs: one object per line
    Json,
}

/// A duration between nothing, which would make an interval a busy loop, and a
/// year, beyond which the clock's arithmetic ends one day.
pub fn duration(text: &str) -> Result<Duration, String> {
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

/// Reachable from this machine only: the page tells a stranger which backends there
/// are. 9100 is where a Prometheus looks that was set up for a host.
const DEFAULT_METRICS: &str = "127.0.0.1:9100";

/// A packet that is lost is sent again after a second (RFC 6298), and again after two
/// more. Shorter loses the names of clients that are far away; longer is felt only
/// where the server should speak first, and there `detect=off` is the mend.
const DEFAULT_SNI_PEEK_TIMEOUT: &str = "3s";

/// Shorter than the patience of service managers, who kill what does not leave:
/// systemd waits 90 seconds, and Kubernetes 30, where less than this is wanted.
const DEFAULT_DRAIN_TIMEOUT: &str = "30s";
