//! A program that the bench has started, and that ends with its owner.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::time::sleep;

use crate::guard::Guard;

/// A running program, in a process group of its own.
///
/// The group is what is ended: nginx has workers, and Ctrl-C must not reach the
/// programs before the bench has read what they have to say.
#[derive(Debug)]
pub struct Process {
    /// For messages.
    pub name: String,

    /// Where its standard output goes.
    pub output: PathBuf,

    /// Where its standard error goes.
    pub log: PathBuf,

    child: Child,

    guard: Arc<Guard>,
}

impl Process {
    /// Starts `command`; its output goes to `NAME.out` and `NAME.log` in `folder`.
    pub fn start(
        name: &str,
        mut command: Command,
        folder: &Path,
        guard: Arc<Guard>,
    ) -> Result<Self> {
        let (output, log) = (
            folder.join(format!("{name}.out")),
            folder.join(format!("{name}.log")),
        );
        let create = |path| File::create(path).with_context(|| format!("cannot write {path:?}"));

        let child = command
            .stdin(Stdio::null())
            .stdout(create(&output)?)
            .stderr(create(&log)?)
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        guard.add(child.id());

        Ok(Self {
            name: name.to_owned(),
            output,
            log,
            child,
            guard,
        })
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it has ended, if it has.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        let status = self.child.try_wait()?;
        if status.is_some() {
            self.guard.remove(self.child.id());
        }
        Ok(status)
    }

    /// Waits for its end.
    pub async fn wait(&mut self, limit: Duration) -> Result<ExitStatus> {
        let deadline = Instant::now() + limit;

        loop {
            if let Some(status) = self.ended()? {
                return Ok(status);
            }
            if Instant::now() > deadline {
                bail!("{} has not ended after {limit:?}", self.name);
            }
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Asks it to end.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// The last words of a program that failed.
    pub fn last_words(&self) -> String {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(5)..].join("\n")
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // Fails only when all of the group have ended.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // nginx then waits for its workers, who would otherwise be left to init.
        self.terminate();
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(2));
        }

        // Also when the first process has ended: the others may not have.
        self.signal(Signal::KILL);
        let _ = self.child.wait();
        self.guard.remove(self.child.id());
    }
}

/// Whoever has no client any more needs less.
const GRACE: Duration = Duration::from_millis(500);
