//! Clears up when the bench cannot: a second process that waits for the first to end.
//!
//! Whatever the bench is ended by, its end closes the pipe between the two, even if a
//! `SIGKILL` leaves it no time for anything. The guard then ends the programs that
//! are still there and removes the folder.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;
use std::{env, fs, thread};

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use std::time::Duration;

use crate::proc;

/// The bench's end of the pipe.
#[derive(Debug)]
pub struct Guard {
    child: Child,

    pipe: Mutex<Option<ChildStdin>>,
}

impl Guard {
    /// Starts the second process, which is this program again.
    pub fn start(folder: &Path) -> Result<Self> {
        let program = env::current_exe().context("cannot find my own program")?;
        let mut child = Command::new(program)
            .arg("guard")
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            // Ctrl-C goes to the whole foreground group, and the guard has to outlive it.
            .process_group(0)
            .spawn()
            .context("cannot start the guard that clears up after the bench")?;

        let pipe = Mutex::new(child.stdin.take());
        Ok(Self { child, pipe })
    }

    /// Puts a process and its group under guard.
    pub fn add(&self, pid: u32) {
        self.tell(&format!("add {pid} {}", proc::start_time(pid).unwrap_or(0)));
    }

    /// It has ended.
    pub fn remove(&self, pid: u32) {
        self.tell(&format!("remove {pid}"));
    }

    fn tell(&self, line: &str) {
        let mut pipe = self.pipe.lock().expect("no panic while held");
        if let Some(pipe) = pipe.as_mut() {
            // A guard that is gone cannot be told; the bench still clears up itself.
            let _ = writeln!(pipe, "{line}");
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Closes the pipe, which is what the guard waits for.
        self.pipe.lock().expect("no panic while held").take();
        let _ = self.child.wait();
    }
}

/// The second process: reads what to guard until the pipe closes, then clears up.
pub fn watch(input: impl BufRead, folder: &Path) {
    let mut guarded = BTreeMap::new();

    for line in input.lines().map_while(Result::ok) {
        let mut words = line.split(' ');
        let verb = words.next();
        let mut number = || words.next().and_then(|word| word.parse().ok());
        match (verb, number(), number()) {
            (Some("add"), Some(pid), Some(started)) => {
                guarded.insert(pid, started);
            }
            (Some("remove"), Some(pid), _) => {
                guarded.remove(&pid);
            }
            _ => {}
        }
    }

    for (pid, started) in guarded {
        end_group(pid, started);
    }
    remove_folder(folder);
}

fn end_group(pid: u64, started: u64) {
    let Ok(id) = u32::try_from(pid) else { return };

    // The number may have been given to another process meanwhile.
    if proc::start_time(id).is_some_and(|now| now != started) {
        return;
    }
    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// A program that is about to end may still write into it, so that one try may fail.
fn remove_folder(folder: &Path) {
    let folder: PathBuf = folder.to_owned();
    for _ in 0..50 {
        let _ = fs::remove_dir_all(&folder);
        if !folder.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
}
