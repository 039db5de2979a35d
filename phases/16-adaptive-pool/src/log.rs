//! The log. Whoever reads it may be slow or gone, and its disk may be full: the clients
//! must not notice. So lines wait in a queue for a thread that writes them, and what
//! does not fit there, or cannot be written, is lost and counted.

pub mod brake;

use std::io::{self, IsTerminal, Write};
use std::iter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;
use std::time::Duration;

use clap::ValueEnum;
use tracing::warn;
use tracing_subscriber::EnvFilter;

/// Sends logs to standard error: standard output belongs to the addresses that a
/// script may want to read.
pub fn start(format: LogFormat) -> Log {
    let (queue, entries) = mpsc::sync_channel(QUEUE);
    let log = Log(queue);

    // Without the thread all lines are lost, but clients are served.
    let writer = thread::Builder::new().name("log".to_owned());
    let _ = writer.spawn(move || write(&entries, &mut io::stderr()));

    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || lines.clone())
        .with_ansi(io::stderr().is_terminal())
        .log_internal_errors(false);
    match format {
        LogFormat::Text => subscriber.init(),
        LogFormat::Json => subscriber.json().flatten_event(true).init(),
    }

    log
}

/// The forms of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// For programs: one object per line
    Json,
}

/// How many lines did not fit into the queue or could not be written.
pub fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

/// The end of the queue at which lines come in.
#[derive(Debug, Clone)]
pub struct Log(SyncSender<Entry>);

#[derive(Debug)]
enum Entry {
    Line(Vec<u8>),

    /// The end, dropped when all lines before it are written.
    Last(Sender<()>),
}

impl Log {
    /// Ends the log: waits until everything is written, but not for long. A reader that
    /// takes nothing must not keep the program from ending.
    pub fn finish(self) {
        let (last, written) = mpsc::channel();
        // This waits if the queue is full, and a thread ends with the process.
        let _ = thread::Builder::new().spawn(move || self.0.send(Entry::Last(last)));
        let _ = written.recv_timeout(LAST_WORDS);
    }
}

impl Write for Log {
    /// Takes a whole line, and never waits.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.0.try_send(Entry::Line(line.to_vec())).is_err() {
            LOST.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes what comes, and says how much is lost as soon as there is room to say it.
fn write(entries: &Receiver<Entry>, out: &mut impl Write) {
    let mut told = 0;

    while let Ok(first) = entries.recv() {
        let mut works = true;

        // What waits, but no more than that: lines might come for ever.
        for entry in iter::once(first).chain(entries.try_iter().take(QUEUE)) {
            let line = match entry {
                Entry::Line(line) => line,
                Entry::Last(written) => return drop(written),
            };

            works = out.write_all(&line).is_ok();
            if !works {
                LOST.fetch_add(1, Ordering::Relaxed);
            }
        }

        // Where nothing can be written, this line could not be, either.
        let lost = lost();
        if works && lost > told {
            warn!("{lost} line(s) of this log are lost so far");
            told = lost;
        }
    }
}

static LOST: AtomicU64 = AtomicU64::new(0);

/// In lines of some hundred bytes. A disk that stands still for a second loses nothing
/// of four thousand lines a second; a reader that is stuck costs a megabyte.
const QUEUE: usize = 4096;

/// A log that works writes its queue in less than that.
const LAST_WORDS: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
