//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::floor::Floor;
use crate::link::Link;
use crate::open_load::OpenLoad;
use crate::respond::Respond;

/// Measures the phases beside HAProxy and nginx, and draws the report.
///
/// Everything runs on this machine, over loopback, in a temporary folder. The results
/// are JSON; tables and plots are made from them.
#[derive(Debug, Parser)]
#[command(name = "bench-env", version)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,

    /// How
    #[command(flatten)]
    pub options: Options,
}

/// What can be asked for.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the scenarios and who takes part in them
    List,
    /// Say what this machine has, what is missing, and what may disturb
    Doctor,
    /// The article's benchmark: HTTP proxies, and a TLS peek of 200 ms and of 1 ms
    Article,
    /// Memory over time under load, and what the proxy waits for when it is told to end
    Leak,
    /// What the deadline of the TLS peek costs a client that is not TLS
    Peek,
    /// Everybody does the same work: bytes, with a PROXY header
    Fair,
    /// A new connection for every request
    Churn,
    /// One worker and two, from ten connections to thousands
    Cores,
    /// Large answers
    Bulk,
    /// Thousands of connections that do nothing
    Idle,
    /// What a proxy adds to the time of a request
    Latency,
    /// TLS handshakes through routing by name
    Tls,
    /// Connections that wait for clients: what they save near and far, what they cost
    Pool,
    /// Every phase at small and at large answers
    Phases,
    /// All scenarios
    All,
    /// Every scenario for a second: does everything answer?
    Smoke,
    /// Draw the report again from the results in a folder (--out)
    Report,
    /// Clear up after a bench that was killed
    #[command(hide = true)]
    Guard {
        /// The bench's folder
        folder: PathBuf,
    },
    /// A relay without features
    #[command(hide = true)]
    Floor(Floor),
    /// Requests at a fixed rate
    #[command(hide = true)]
    OpenLoad(OpenLoad),
    /// A network with a delay
    #[command(hide = true)]
    Link(Link),
    /// A backend with one small file
    #[command(hide = true)]
    Respond(Respond),
    /// Use so much CPU and memory, then wait: a process of known load, for tests
    #[command(hide = true)]
    Spin {
        /// CPU seconds
        seconds: f64,

        /// Mebibytes
        mebibytes: usize,
    },
    /// Start a program under guard and wait, for tests
    #[command(hide = true)]
    Hold,
}

/// How to run. Each scenario has its own defaults.
#[derive(Debug, Clone, Default, Args)]
pub struct Options {
    /// How long each run is, in whole seconds
    #[arg(long, global = true, value_name = "TIME", value_parser = whole_seconds)]
    pub duration: Option<u64>,

    /// How many rounds count; a warm-up comes before them
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,

    /// Connections of the load generator
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=20_000))]
    pub connections: Option<u32>,

    /// Only those whose name begins so: haproxy,phase-12
    #[arg(long, global = true, value_name = "NAME,…", value_delimiter = ',')]
    pub contenders: Vec<String>,

    /// Where the results go [default: target/bench-env]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub out: Option<PathBuf>,

    /// Cargo's profile for the phases [default: release; for smoke: dev]
    #[arg(long, global = true, value_name = "PROFILE")]
    pub profile: Option<String>,
}

/// wrk takes nothing else.
fn whole_seconds(text: &str) -> Result<u64, String> {
    let time: Duration = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time.as_secs() == 0 || time.subsec_nanos() > 0 {
        return Err("write whole seconds, as 20s".to_owned());
    }
    Ok(time.as_secs())
}
