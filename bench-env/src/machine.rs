//! What a reader of the figures has to know of the machine.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

use crate::kernel::{Counters, setting};
use crate::programs::{PROGRAMS, Programs, first_line};

/// The machine, as it is written into every result.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's own name.
    pub cpu: String,

    /// Cores that this process may use.
    pub cores: usize,

    /// Memory.
    pub memory_mib: u64,

    /// The kernel's version.
    pub kernel: String,

    /// Whether the processor says that it is a virtual one.
    pub virtual_machine: bool,

    /// Descriptors that a process may open.
    pub open_files: u64,

    /// Kernel settings that matter to many connections.
    pub settings: BTreeMap<String, String>,

    /// Versions of the programs that took part.
    pub versions: BTreeMap<String, String>,

    /// How calm it was.
    pub noise: Noise,
}

/// How much else was going on.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Noise {
    /// By how much the slowest of some equal pieces of work took longer than the
    /// quickest, in percent.
    pub spread_percent: f64,

    /// Cores that other programs used meanwhile.
    pub busy_cores: f64,

    /// Cores that the host took away meanwhile.
    pub stolen_cores: f64,
}

impl Machine {
    /// Looks at this machine; takes about a second.
    pub fn look(programs: &Programs) -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = cpuinfo.lines().find(|line| line.starts_with(name));
            line.and_then(|line| line.split_once(':'))
                .map_or("", |(_, value)| value.trim())
        };

        Self {
            cpu: field("model name").to_owned(),
            cores: cores(),
            memory_mib: memory_mib().unwrap_or(0),
            kernel: setting("kernel/osrelease").unwrap_or_default(),
            virtual_machine: field("flags").split(' ').any(|flag| flag == "hypervisor"),
            open_files: open_files_limit(),
            settings: SETTINGS
                .iter()
                .filter_map(|name| Some((name.replace('/', "."), setting(name)?)))
                .collect(),
            versions: versions(programs),
            noise: Noise::measure(),
        }
    }
}

impl Noise {
    /// Equal pieces of work should take equal time.
    pub fn measure() -> Self {
        let before = Counters::read();
        let started = Instant::now();
        thread::sleep(QUIET);
        let (after, seconds) = (Counters::read(), started.elapsed().as_secs_f64());

        let times: Vec<f64> = (0..PIECES).map(|_| piece()).collect();
        let quickest = times.iter().copied().fold(f64::INFINITY, f64::min);
        let slowest = times.iter().copied().fold(0.0, f64::max);

        Self {
            spread_percent: 100.0 * (slowest - quickest) / quickest,
            busy_cores: (after.busy_seconds - before.busy_seconds) / seconds,
            stolen_cores: (after.stolen_seconds - before.stolen_seconds) / seconds,
        }
    }
}

/// Cores that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Descriptors that a process may open.
pub fn open_files_limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(MANY)
}

/// Raises the limit as far as it goes: the contenders inherit it.
pub fn raise_open_files_limit() {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let wanted = maximum.unwrap_or(MANY).min(MANY);
    let limit = Rlimit {
        current: Some(wanted),
        maximum,
    };
    // Where it fails the lower limit stays, and `doctor` shows it.
    let _ = setrlimit(Resource::Nofile, limit);
}

fn memory_mib() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? / 1024)
}

fn versions(programs: &Programs) -> BTreeMap<String, String> {
    let rustc = first_line(Path::new("rustc"), "--version");
    let others = PROGRAMS
        .iter()
        .filter_map(|program| Some((program.name.to_owned(), programs.version(program)?)));
    others
        .chain(rustc.map(|version| ("rustc".to_owned(), version)))
        .collect()
}

fn piece() -> f64 {
    let started = Instant::now();
    let mut sum = 0_u64;
    for n in 0..PIECE {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(n));
    }
    started.elapsed().as_secs_f64()
}

const SETTINGS: [&str; 9] = [
    "net/core/somaxconn",
    "net/ipv4/ip_local_port_range",
    "net/ipv4/tcp_max_syn_backlog",
    "net/ipv4/tcp_max_tw_buckets",
    "net/ipv4/tcp_tw_reuse",
    "net/ipv4/tcp_fin_timeout",
    "net/ipv4/tcp_congestion_control",
    "net/core/default_qdisc",
    "kernel/randomize_va_space",
];

/// Long enough to see a program that works in the background.
const QUIET: Duration = Duration::from_millis(500);

/// Some hundred milliseconds together.
const PIECES: u32 = 30;

const PIECE: u64 = 3_000_000;

/// Instead of no limit at all: nginx reserves memory for each descriptor that it may
/// open.
const MANY: u64 = 65_536;
