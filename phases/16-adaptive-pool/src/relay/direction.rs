//! One direction of a connection: what comes from one side goes to the other.

use std::cell::RefCell;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use clap::{Args, ValueEnum};
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

use crate::relay::meter::{Meter, Side};
use crate::relay::pipe::Pipe;

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

/// Which side broke off, and how it was noticed.
pub type Broken = (Side, io::Error);

/// Bytes on their way from `side` to the other one. It owns no buffer and no pipe
/// while it waits, unless the receiver does not take what was read already.
#[derive(Debug)]
pub struct Direction {
    side: Side,

    splice: Splice,

    /// What was read and not yet taken: at most one buffer or one pipe, because
    /// nothing more is read before it is gone.
    pending: Vec<u8>,

    /// Read since the source last ran dry.
    burst: usize,

    /// Whether a lot comes at once, now or the last time.
    bulk: bool,

    /// Whether the source has sent its last byte, or broke off.
    pub ended: bool,

    /// Whether the receiver has been told so.
    pub told: bool,

    /// Whether something has happened since the relay last looked.
    pub moved: bool,
}

impl Direction {
    /// Begins with the bytes of `side` that have been read already.
    pub fn new(side: Side, early: Vec<u8>, splice: Splice) -> Self {
        Self {
            side,
            splice,
            pending: early,
            burst: 0,
            bulk: false,
            ended: false,
            told: false,
            moved: false,
        }
    }

    /// Passes on what there is, but not for long, and then the end. Ready when the
    /// end has been passed on, or when a side broke off.
    pub fn poll(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut TcpStream,
        to: &mut TcpStream,
        meter: &mut Meter,
    ) -> Poll<Result<(), Broken>> {
        ready!(self.poll_bytes(cx, from, to, meter))?;

        if !self.told {
            let told = ready!(Pin::new(to).poll_shutdown(cx));
            told.map_err(|error| self.receiver(error))?;
            self.told = true;
        }
        Poll::Ready(Ok(()))
    }

    /// The same without the end: ready when the receiver has all bytes.
    pub fn poll_bytes(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut TcpStream,
        to: &mut TcpStream,
        meter: &mut Meter,
    ) -> Poll<Result<(), Broken>> {
        let start = meter.bytes();

        loop {
            ready!(self.poll_pending(cx, to)).map_err(|error| self.receiver(error))?;
            if self.ended {
                return Poll::Ready(Ok(()));
            }

            // A source that is never empty must not hold the other connections up:
            // this one goes to the end of the queue.
            if meter.bytes() - start >= TURN {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }

            if self.poll_next(cx, from, to, meter)?.is_pending() {
                self.bulk = self.burst >= LARGE;
                self.burst = 0;
                return Poll::Pending;
            }
        }
    }

    /// Gives the receiver what it has not taken yet.
    fn poll_pending(&mut self, cx: &mut Context<'_>, to: &mut TcpStream) -> Poll<io::Result<()>> {
        while !self.pending.is_empty() {
            let count = ready!(Pin::new(&mut *to).poll_write(cx, &self.pending))?;
            self.moved = true;
            self.pending.drain(..count);

            if self.pending.is_empty() {
                self.pending = Vec::new();
            }
        }
        Poll::Ready(Ok(()))
    }

    /// Reads once, and gives the receiver what it takes at once: keeping the rest
    /// is the exception.
    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut TcpStream,
        to: &mut TcpStream,
        meter: &mut Meter,
    ) -> Poll<Result<(), Broken>> {
        if self.bulk
            && self.splice == Splice::Auto
            && let Some(pipe) = Pipe::take()
        {
            self.poll_by_pipe(pipe, cx, from, to, meter)
        } else {
            BUFFER.with_borrow_mut(|buffer| self.poll_by_buffer(buffer, cx, from, to, meter))
        }
    }

    fn poll_by_buffer(
        &mut self,
        buffer: &mut [u8],
        cx: &mut Context<'_>,
        from: &mut TcpStream,
        to: &mut TcpStream,
        meter: &mut Meter,
    ) -> Poll<Result<(), Broken>> {
        let mut buffer = ReadBuf::new(buffer);
        ready!(Pin::new(from).poll_read(cx, &mut buffer)).map_err(|error| self.source(error))?;

        let bytes = buffer.filled();
        self.note(bytes.len(), meter);
        self.bulk |= buffer.remaining() == 0;

        if !bytes.is_empty() {
            let taken = match Pin::new(to).poll_write(cx, bytes) {
                Poll::Ready(taken) => taken.map_err(|error| self.receiver(error))?,
                Poll::Pending => 0,
            };
            self.pending.extend_from_slice(&bytes[taken..]);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_by_pipe(
        &mut self,
        mut pipe: Pipe,
        cx: &mut Context<'_>,
        from: &TcpStream,
        to: &TcpStream,
        meter: &mut Meter,
    ) -> Poll<Result<(), Broken>> {
        let count = loop {
            if from
                .poll_read_ready(cx)
                .map_err(|error| self.source(error))?
                .is_pending()
            {
                pipe.give_back();
                return Poll::Pending;
            }
            // The pipe is empty: what would block is the source.
            match from.try_io(Interest::READABLE, || pipe.fill(from)) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                result => break result.map_err(|error| self.source(error))?,
            }
        };
        self.note(count, meter);

        while !pipe.is_empty() {
            match to.try_io(Interest::WRITABLE, || pipe.empty_into(to)) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.pending = pipe.read_rest().map_err(|error| self.receiver(error))?;
                }
                Err(error) => return Poll::Ready(Err(self.receiver(error))),
            }
        }
        pipe.give_back();
        Poll::Ready(Ok(()))
    }

    fn note(&mut self, count: usize, meter: &mut Meter) {
        self.moved = true;
        self.ended = count == 0;
        self.burst += count;
        meter.add(count);
    }

    /// Nothing more comes from a side that broke off.
    fn source(&mut self, error: io::Error) -> Broken {
        self.ended = true;
        (self.side, error)
    }

    fn receiver(&self, error: io::Error) -> Broken {
        (self.side.other(), error)
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
const TURN: u64 = 256 * 1024;

#[cfg(test)]
mod tests;
