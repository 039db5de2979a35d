//! The pipe of a thread: bytes that go from socket to socket through it stay in the
//! kernel, and only their pages change hands (`splice(2)`).

use std::cell::Cell;
use std::io::{self, PipeReader, PipeWriter, Read};

use rustix::pipe::{SpliceFlags, splice};
use tokio::net::TcpStream;

/// An empty pipe, or one with bytes of one connection.
#[derive(Debug)]
pub struct Pipe {
    reader: PipeReader,

    writer: PipeWriter,

    filled: usize,
}

impl Pipe {
    /// The thread's pipe, which is empty; none if the system has no descriptors left
    /// for one.
    pub fn take() -> Option<Self> {
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

const FLAGS: SpliceFlags = SpliceFlags::MOVE.union(SpliceFlags::NONBLOCK);

thread_local! {
    /// One is enough, because it is empty again when the turn of a connection ends.
    static SPARE: Cell<Option<Pipe>> = const { Cell::new(None) };
}

/// In bytes: what a pipe holds if nobody has changed it (`pipe(7)`), and so what a
/// receiver that does not read can leave behind.
const MOST: usize = 64 * 1024;

#[cfg(test)]
mod tests;
