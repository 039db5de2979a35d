//! What the kernel says of a process, read from `/proc`.
//!
//! CPU time is read as the article read it: the counters of `/proc/PID/stat` at two
//! moments. `ps` shows the mean since the process started, which is of no use here.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rustix::param::{clock_ticks_per_second, page_size};

/// The CPU seconds that a process has used, all its threads, user and system.
pub fn cpu_seconds(pid: u32) -> Option<f64> {
    stat(Path::new(&format!("/proc/{pid}/stat"))).map(|stat| stat.cpu_seconds)
}

/// The CPU seconds of each of its threads.
pub fn thread_cpu_seconds(pid: u32) -> Vec<(u32, f64)> {
    numbers_in(Path::new(&format!("/proc/{pid}/task")))
        .into_iter()
        .filter_map(|thread| {
            let path = format!("/proc/{pid}/task/{thread}/stat");
            Some((thread, stat(Path::new(&path))?.cpu_seconds))
        })
        .collect()
}

/// When it started, in clock ticks since the machine did: tells a process from a later
/// one with the same number.
pub fn start_time(pid: u32) -> Option<u64> {
    stat(Path::new(&format!("/proc/{pid}/stat"))).map(|stat| stat.start_time)
}

/// Memory of a process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Memory {
    /// Resident: all pages, also those that others use too.
    pub rss_kib: u64,

    /// Proportional: a page that three processes use counts a third for each.
    pub pss_kib: u64,
}

/// Its memory; from `statm` where `smaps_rollup` may not be read (another user's
/// process), with the resident size for both.
pub fn memory(pid: u32) -> Option<Memory> {
    if let Ok(text) = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))
        && let Some(memory) = parse_smaps_rollup(&text)
    {
        return Some(memory);
    }

    let text = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    let rss_kib = pages * u64::try_from(page_size()).ok()? / 1024;
    Some(Memory {
        rss_kib,
        pss_kib: rss_kib,
    })
}

/// How many descriptors it has open.
pub fn descriptors(pid: u32) -> usize {
    numbers_in(Path::new(&format!("/proc/{pid}/fd"))).len()
}

/// How many connections it has to these ports, over IPv4.
pub fn connections(pid: u32, ports: &[u16]) -> usize {
    let folder = format!("/proc/{pid}/fd");
    let descriptors = numbers_in(Path::new(&folder)).into_iter();
    let targets = descriptors.filter_map(|fd| fs::read_link(format!("{folder}/{fd}")).ok());
    let own: BTreeSet<_> = targets.collect();

    let table = fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let ours = table.lines().filter(|line| {
        // Number, own address, the other's, state, and six more to the inode:
        // proc_pid_net(5). 01 is an established connection.
        let words: Vec<_> = line.split_whitespace().collect();
        let [_, _, other, "01", _, _, _, _, _, inode, ..] = words[..] else {
            return false;
        };
        let port = other.rsplit_once(':').map(|(_, port)| port);
        let port = port.and_then(|port| u16::from_str_radix(port, 16).ok());
        port.is_some_and(|port| ports.contains(&port))
            && own.contains(&PathBuf::from(format!("socket:[{inode}]")))
    });
    ours.count()
}

/// The process, its children, theirs, and so on: nginx works in children.
pub fn family(pid: u32) -> Vec<u32> {
    let mut family = vec![pid];
    let mut next = 0;
    while let Some(&parent) = family.get(next) {
        for thread in numbers_in(Path::new(&format!("/proc/{parent}/task"))) {
            let path = format!("/proc/{parent}/task/{thread}/children");
            let text = fs::read_to_string(path).unwrap_or_default();
            family.extend(
                text.split_whitespace()
                    .filter_map(|word| word.parse::<u32>().ok()),
            );
        }
        next += 1;
    }
    family
}

struct Stat {
    cpu_seconds: f64,

    start_time: u64,
}

fn stat(path: &Path) -> Option<Stat> {
    parse_stat(&fs::read_to_string(path).ok()?, clock_ticks_per_second())
}

/// The name stands in brackets and may hold anything, brackets and spaces as well:
/// fields are counted from the last bracket (proc(5)).
fn parse_stat(text: &str, ticks_per_second: u64) -> Option<Stat> {
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();

    let ticks = number(14)? + number(15)?;
    Some(Stat {
        cpu_seconds: ticks as f64 / ticks_per_second as f64,
        start_time: number(22)?,
    })
}

fn parse_smaps_rollup(text: &str) -> Option<Memory> {
    let kib = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    Some(Memory {
        rss_kib: kib("Rss:")?,
        pss_kib: kib("Pss:")?,
    })
}

fn numbers_in(folder: &Path) -> Vec<u32> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests;
