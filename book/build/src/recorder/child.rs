//! A running program of a phase.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{self, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use rustix::process::{Pid, Signal, kill_process};
use testkit::record::Record;

/// The program. Dropping it ends it.
pub struct Child {
    child: process::Child,
    stdout: Arc<Record<String>>,
    stderr: Arc<Record<String>>,
    /// Lines of the log that were taken already.
    taken: usize,
}

impl Child {
    /// Starts it.
    pub fn start(binary: &Path, arguments: &[String]) -> Result<Self> {
        let mut child = Command::new(binary)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .env("RUST_LOG", "info")
            .env("NO_COLOR", "1")
            .spawn()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        let stdout = drain(child.stdout.take());
        let stderr = drain(child.stderr.take());
        Ok(Self {
            child,
            stdout,
            stderr,
            taken: 0,
        })
    }

    /// What it prints up to a line that begins with `last`; none if it ends before.
    pub fn greeting(&self, last: &str) -> Option<Vec<String>> {
        self.stdout.wait(PATIENCE, |lines| {
            let place = lines.iter().position(|line| line.starts_with(last))?;
            Some(lines[..=place].to_vec())
        })
    }

    /// The log from where it was last read to the next line that holds `text`.
    pub fn log_until(&mut self, text: &str) -> Result<Vec<String>> {
        let taken = self.taken;
        let lines = self.stderr.wait(PATIENCE, |lines| {
            let new = &lines[taken..];
            let place = new.iter().position(|line| line.contains(text))?;
            Some(new[..=place].to_vec())
        });
        let lines = lines.with_context(|| {
            let found = self.stderr.look(|lines| lines[taken..].join("\n"));
            format!("the log says no such thing; it says:\n{found}")
        })?;
        self.taken += lines.len();
        Ok(lines)
    }

    /// Waits for its end; the rest of the log, and how it ended.
    pub fn wait_end(&mut self) -> Result<(Vec<String>, String)> {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            ensure!(Instant::now() < deadline, "the program does not end");
            thread::sleep(Duration::from_millis(5));
        };
        // The pipe ends with the program.
        self.stderr.wait(PATIENCE, |_| None::<()>);
        let lines = self.stderr.look(|lines| lines[self.taken..].to_vec());
        self.taken += lines.len();
        let end = match status.code() {
            Some(code) => format!("exit code {code}"),
            None => "ended by a signal".to_owned(),
        };
        Ok((lines, end))
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        kill_process(Pid::from_child(&self.child), signal).context("the program has ended")
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Fails only if it has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Longer than a check takes to notice that a backend is dead.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads a pipe to its end, so that the program never waits for a reader.
fn drain(pipe: Option<impl Read + Send + 'static>) -> Arc<Record<String>> {
    let record = Arc::new(Record::new());
    let writer = Arc::clone(&record);
    thread::spawn(move || {
        let lines = pipe
            .into_iter()
            .flat_map(|pipe| BufReader::new(pipe).split(b'\n'));
        for line in lines.map_while(Result::ok) {
            writer.push(String::from_utf8_lossy(&line).into_owned());
        }
        writer.close();
    });
    record
}
