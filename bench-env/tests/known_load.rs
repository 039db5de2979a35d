//! The `/proc` reader against a process whose load is known.

#![expect(clippy::unwrap_used, reason = "a test may panic, and then says where")]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use bench_env::proc;
use bench_env::sampler::Sampler;

struct Spinning(Child);

impl Spinning {
    /// Returns once it has used what it was told to use.
    fn start(seconds: &str, mebibytes: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bench-env"))
            .args(["spin", seconds, mebibytes])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        Self(child)
    }
}

impl Drop for Spinning {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn reads_the_cpu_time_that_was_used() {
    let spinning = Spinning::start("0.5", "1");

    let used = proc::cpu_seconds(spinning.0.id()).unwrap();
    assert!((0.48..0.6).contains(&used), "{used}");

    let threads = proc::thread_cpu_seconds(spinning.0.id());
    let sum: f64 = threads.iter().map(|&(_, seconds)| seconds).sum();
    assert!(
        (sum - used).abs() < 0.05,
        "{sum} in its threads, {used} in all"
    );
}

#[test]
fn reads_the_memory_that_was_touched() {
    let spinning = Spinning::start("0", "64");

    let memory = proc::memory(spinning.0.id()).unwrap();
    assert!((64 << 10..96 << 10).contains(&memory.rss_kib), "{memory:?}");
    // Nobody else has the pages that it has touched.
    assert!(
        (64 << 10..=memory.rss_kib).contains(&memory.pss_kib),
        "{memory:?}"
    );
}

#[test]
fn a_process_that_waits_uses_no_core() {
    let spinning = Spinning::start("0.1", "1");

    let mut sampler = Sampler::start(proc::family(spinning.0.id()));
    std::thread::sleep(std::time::Duration::from_millis(300));
    sampler.look();
    assert!(sampler.cores().unwrap() < 0.05, "{:?}", sampler.samples);
}

#[test]
fn a_process_that_is_gone_has_nothing() {
    let spinning = Spinning::start("0", "1");
    let pid = spinning.0.id();
    drop(spinning);

    assert_eq!(proc::cpu_seconds(pid), None);
    assert_eq!(proc::memory(pid), None);
    assert_eq!(proc::descriptors(pid), 0);
}

#[test]
fn finds_the_children() {
    let mut shell = Command::new("sh")
        .args(["-c", "sleep 20 & wait"])
        .spawn()
        .unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(5);
    while proc::family(shell.id()).len() < 2 && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }

    let family = proc::family(shell.id());
    assert_eq!(family.len(), 2, "{family:?}");

    let _ = Command::new("kill").args([family[1].to_string()]).status();
    shell.wait().unwrap();
}
