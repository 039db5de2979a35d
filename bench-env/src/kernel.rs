//! What the kernel says of the whole machine.

use std::fs;

use rustix::param::clock_ticks_per_second;

/// Counters of the machine at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counters {
    /// CPU seconds of all cores in which there was work.
    pub busy_seconds: f64,

    /// CPU seconds that the host gave to another machine.
    pub stolen_seconds: f64,

    /// Connections that ended without `TIME_WAIT` because there were too many of them.
    pub time_wait_overflows: u64,

    /// Connections that a full queue of a listener dropped.
    pub listen_overflows: u64,
}

impl Counters {
    /// Reads them. What this kernel does not count stays zero.
    pub fn read() -> Self {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let netstat = fs::read_to_string("/proc/net/netstat").unwrap_or_default();
        let (busy_seconds, stolen_seconds) = parse_stat(&stat).unwrap_or_default();

        Self {
            busy_seconds,
            stolen_seconds,
            time_wait_overflows: parse_netstat(&netstat, "TCPTimeWaitOverflow"),
            listen_overflows: parse_netstat(&netstat, "ListenOverflows"),
        }
    }
}

/// Connections in `TIME_WAIT` now.
pub fn time_wait() -> u64 {
    let text = fs::read_to_string("/proc/net/sockstat").unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|&word| word == "tw");
    at.and_then(|at| words.get(at + 1)?.parse().ok())
        .unwrap_or(0)
}

/// The first and the last port that outgoing connections get.
pub fn ephemeral_ports() -> Option<(u16, u16)> {
    let text = setting("net/ipv4/ip_local_port_range")?;
    let mut ports = text.split_whitespace().map(str::parse);
    Some((ports.next()?.ok()?, ports.next()?.ok()?))
}

/// A setting below `/proc/sys`.
pub fn setting(name: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/sys/{name}")).ok()?;
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The first line: user, nice, system, idle, iowait, irq, softirq, steal.
fn parse_stat(text: &str) -> Option<(f64, f64)> {
    let fields: Vec<u64> = text
        .lines()
        .next()?
        .split_whitespace()
        .skip(1)
        .filter_map(|word| word.parse().ok())
        .collect();
    let seconds = |ticks: u64| ticks as f64 / clock_ticks_per_second() as f64;

    let busy = fields.get(..3)?.iter().sum::<u64>() + fields.get(5..7)?.iter().sum::<u64>();
    Some((seconds(busy), seconds(*fields.get(7)?)))
}

/// Pairs of lines: names, then values.
fn parse_netstat(text: &str, wanted: &str) -> u64 {
    let mut lines = text.lines();
    while let (Some(names), Some(values)) = (lines.next(), lines.next()) {
        let mut pairs = names.split_whitespace().zip(values.split_whitespace());
        if let Some((_, value)) = pairs.find(|&(name, _)| name == wanted) {
            return value.parse().unwrap_or(0);
        }
    }
    0
}

#[cfg(test)]
mod tests;
