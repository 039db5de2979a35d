//! Bytes on their way from one socket to another.

use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::task::{Context, Poll, ready};

use tokio::io::Interest;
use tokio::net::TcpStream;

use crate::relay::meter::Meter;
use crate::relay::pipe::{self, Pipe, Splice};
use crate::relay::reset::Fault;

/// All bytes of one source, to one receiver. It owns no buffer and no pipe while it
/// waits, unless the receiver does not take what was read already.
#[derive(Debug)]
pub struct Flow<'a> {
    /// The source.
    pub from: &'a TcpStream,

    /// The receiver.
    pub to: &'a TcpStream,

    /// Counts what was read.
    pub meter: &'a mut Meter,

    /// Whether a byte has passed since somebody has set this back.
    pub moved: bool,

    splice: Splice,

    /// What was read and not yet taken: at most one buffer or one pipe, because
    /// nothing more is read before it is gone.
    pending: Vec<u8>,

    /// Read since the source last ran dry.
    burst: usize,

    /// Whether a lot comes at once, now or the last time.
    bulk: bool,
}

impl<'a> Flow<'a> {
    /// Nothing has passed yet.
    pub fn new(
        from: &'a TcpStream,
        to: &'a TcpStream,
        meter: &'a mut Meter,
        splice: Splice,
    ) -> Self {
        Self {
            from,
            to,
            meter,
            moved: false,
            splice,
            pending: Vec::new(),
            burst: 0,
            bulk: false,
        }
    }

    /// With bytes of the source that have been read already.
    pub fn beginning_with(self, early: Vec<u8>) -> Self {
        Self {
            pending: early,
            ..self
        }
    }

    /// Whether nothing is read because the receiver does not take what was.
    pub fn is_stuck(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Passes on what there is, but not for long. Ready when the source has ended and
    /// the receiver has taken everything.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        let start = self.meter.bytes();

        loop {
            ready!(self.poll_pending(cx)).map_err(Fault::Receiver)?;

            // A source that is never empty must not hold the other connections up:
            // this one goes to the end of the queue.
            if self.meter.bytes() - start >= TURN {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }

            match self.poll_next(cx)? {
                Poll::Ready(0) => return Poll::Ready(Ok(())),
                Poll::Ready(_) => {}
                Poll::Pending => {
                    self.bulk = self.burst >= LARGE;
                    self.burst = 0;
                    return Poll::Pending;
                }
            }
        }
    }

    /// Gives the receiver what it has not taken yet.
    fn poll_pending(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.pending.is_empty() {
            ready!(self.to.poll_write_ready(cx))?;
            let Some(count) = unless_blocked(self.to.try_write(&self.pending))? else {
                continue;
            };
            self.moved = true;
            self.pending.drain(..count);

            if self.pending.is_empty() {
                self.pending = Vec::new();
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads once, and gives the receiver what it takes at once: keeping the rest
    /// is the exception. 0 bytes are the end of the source.
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Result<usize, Fault>> {
        loop {
            ready!(self.from.poll_read_ready(cx)).map_err(Fault::Source)?;

            if self.bulk
                && self.splice == Splice::Auto
                && let Some(pipe) = Pipe::take()
                && let Some(count) = self.by_pipe(pipe)?
            {
                return Poll::Ready(Ok(count));
            }
            if let Some(count) = BUFFER.with_borrow_mut(|buffer| self.by_buffer(buffer))? {
                return Poll::Ready(Ok(count));
            }
        }
    }

    fn by_buffer(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, Fault> {
        let read = unless_blocked(self.from.try_read(buffer)).map_err(Fault::Source)?;
        let Some(count) = read else {
            return Ok(None);
        };
        self.note(count);
        self.bulk |= count == buffer.len();

        if count > 0 {
            let bytes = &buffer[..count];
            let taken = unless_blocked(self.to.try_write(bytes)).map_err(Fault::Receiver)?;
            self.pending.extend_from_slice(&bytes[taken.unwrap_or(0)..]);
        }
        Ok(Some(count))
    }

    /// None if nothing comes this way. That may be because of an urgent byte (RFC
    /// 6093), in front of which `splice` stops for good: whether the source is empty,
    /// only a read can tell.
    fn by_pipe(&mut self, mut pipe: Pipe) -> Result<Option<usize>, Fault> {
        let count = match pipe.fill(self.from) {
            Ok(count) => count,
            Err(error) => {
                pipe.give_back();
                return if error.kind() == ErrorKind::WouldBlock || pipe::is_refused(&error) {
                    Ok(None)
                } else {
                    Err(Fault::Source(error))
                };
            }
        };
        self.note(count);

        while !pipe.is_empty() {
            match self
                .to
                .try_io(Interest::WRITABLE, || pipe.empty_into(self.to))
            {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock || pipe::is_refused(&error) => {
                    self.pending = pipe.read_rest().map_err(Fault::Receiver)?;
                }
                Err(error) => return Err(Fault::Receiver(error)),
            }
        }
        pipe.give_back();
        Ok(Some(count))
    }

    fn note(&mut self, count: usize) {
        self.moved |= count > 0;
        self.burst += count;
        self.meter.add(count);
    }
}

/// What would have to wait is no error, but nothing.
fn unless_blocked<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
        result => result.map(Some),
    }
}

thread_local! {
    /// One for all connections of a thread: whoever has read also writes before
    /// another one's turn comes.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; LARGE]);
}

/// The size of the buffer, in bytes. A read that fills it leaves more behind, and
/// then a pipe pays.
const LARGE: usize = 16 * 1024;

/// How many bytes a connection passes on, in one direction, before it is another
/// one's turn.
const TURN: u64 = 64 * 1024;

#[cfg(test)]
mod tests;
