//! The pipe of a thread: bytes that go from socket to socket through it stay in the
//! kernel, and only their pages change hands (`splice(2)`).

use std::cell::Cell;
use std::io::{self, PipeReader, PipeWriter, Read};
use std::sync::Once;

use clap::{Args, ValueEnum};
use rustix::io::Errno;
use rustix::pipe::{SpliceFlags, splice};
use tokio::net::TcpStream;
use tracing::warn;

/// Which way bytes go.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Relay")]
pub struct SpliceSettings {
    /// Whether large messages may go through a pipe, past the program's memory
    #[arg(id = "splice", long, value_name = "HOW", value_enum, default_value_t = Splice::Auto)]
    pub mode: Splice,
}

/// Whether bytes may go through a pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Splice {
    /// Through a pipe while a lot comes at once
    Auto,
    /// Always through the program's memory
    Off,
}

/// An empty pipe, or one with bytes of one connection.
#[derive(Debug)]
pub struct Pipe {
    reader: PipeReader,

    writer: PipeWriter,

    filled: usize,
}

impl Pipe {
    /// The thread's pipe, which is empty; none if the system has no descriptors left
    /// for one, or does not want it to be used.
    pub fn take() -> Option<Self> {
        if REFUSED.get() {
            return None;
        }
        SPARE.take().or_else(|| {
            let (reader, writer) = io::pipe().ok()?;
            Some(Self {
                reader,
                writer,
                filled: 0,
            })
        })
    }

    /// Keeps the pipe for the next connection. One that still holds bytes is closed
    /// instead: they are not the next one's.
    pub fn give_back(self) {
        if self.is_empty() {
            SPARE.set(Some(self));
        }
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.filled == 0
    }

    /// Takes what the source has, as far as it fits; 0 is its end.
    pub fn fill(&mut self, from: &TcpStream) -> io::Result<usize> {
        self.filled = splice(from, None, &self.writer, None, MOST, FLAGS)?;
        Ok(self.filled)
    }

    /// Gives the receiver as much as it takes.
    pub fn empty_into(&mut self, to: &TcpStream) -> io::Result<()> {
        self.filled -= splice(&self.reader, None, to, None, self.filled, FLAGS)?;
        Ok(())
    }

    /// Copies what the receiver has not taken. A pipe that waited with it would be
    /// two descriptors for each slow receiver.
    pub fn read_rest(&mut self) -> io::Result<Vec<u8>> {
        let mut rest = vec![0; self.filled];
        self.reader.read_exact(&mut rest)?;
        self.filled = 0;
        Ok(rest)
    }
}

/// Whether the system does not splice at all, as in a sandbox or between sockets of
/// some other kind. Then this thread does not try again.
pub fn is_refused(error: &io::Error) -> bool {
    let refused = matches!(
        Errno::from_io_error(error),
        Some(Errno::INVAL | Errno::NOSYS | Errno::PERM | Errno::OPNOTSUPP)
    );
    if refused {
        REFUSED.set(true);
        SAID.call_once(|| {
            warn!("the system does not splice: {error}; bytes pass through memory from now on");
        });
    }
    refused
}

static SAID: Once = Once::new();

const FLAGS: SpliceFlags = SpliceFlags::MOVE.union(SpliceFlags::NONBLOCK);

thread_local! {
    /// One is enough, because it is empty again when the turn of a connection ends.
    static SPARE: Cell<Option<Pipe>> = const { Cell::new(None) };

    static REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// In bytes: what a pipe holds if nobody has changed it (`pipe(7)`), and so what a
/// receiver that does not read can leave behind.
const MOST: usize = 64 * 1024;

#[cfg(test)]
mod tests;
