//! However the bench ends, no program and no file is left.

#![expect(clippy::unwrap_used, reason = "a test may panic, and then says where")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

#[test]
fn interrupt_leaves_nothing() {
    nothing_is_left_after(Signal::INT);
}

#[test]
fn terminate_leaves_nothing() {
    nothing_is_left_after(Signal::TERM);
}

/// The bench itself can do nothing here: this is what the guard is for.
#[test]
fn kill_leaves_nothing() {
    nothing_is_left_after(Signal::KILL);
}

fn nothing_is_left_after(signal: Signal) {
    let (mut bench, program, folder) = start();
    assert!(is_running(program) && folder.exists());

    let pid = Pid::from_child(&bench);
    kill_process(pid, signal).unwrap();
    let status = bench.wait().unwrap();
    assert!(!status.success());

    let deadline = Instant::now() + Duration::from_secs(10);
    while (is_running(program) || folder.exists()) && Instant::now() < deadline {
        sleep(Duration::from_millis(20));
    }
    assert!(!is_running(program), "the program outlives the bench");
    assert!(!folder.exists(), "{} is left", folder.display());
}

/// The bench, the number of a program that it has started, and its folder.
fn start() -> (Child, u32, PathBuf) {
    let mut bench = Command::new(env!("CARGO_BIN_EXE_bench-env"))
        .arg("hold")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();

    let mut line = String::new();
    let mut output = BufReader::new(bench.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    let (program, folder) = line.trim().split_once(' ').unwrap();
    (
        bench,
        program.parse().unwrap(),
        Path::new(folder).to_owned(),
    )
}

/// One that has ended, but that nobody has asked about yet, is not running.
fn is_running(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").map(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| state != Some('Z'))
}
