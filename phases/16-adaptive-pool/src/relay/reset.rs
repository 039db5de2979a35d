//! Breaks: whose they are, and what comes before they are passed on.

use std::io::{self, ErrorKind};
use std::task::{Context, Poll, ready};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::SockRef;
use tokio::io::Interest;
use tokio::net::TcpStream;

use crate::relay::meter::Side;

/// Which end of a flow broke off, and how it was noticed.
#[derive(Debug)]
pub enum Fault {
    /// The one that is read from.
    Source(io::Error),

    /// The one that is written to.
    Receiver(io::Error),
}

impl Fault {
    /// The side whose fault it is, where `side` is the source.
    pub fn in_flow_of(self, side: Side) -> (Side, io::Error) {
        match self {
            Self::Source(error) => (side, error),
            Self::Receiver(error) => (side.other(), error),
        }
    }
}

/// Ready when everything that was written has left this machine, or never will: a
/// reset throws away what still waits for the receiver to make room.
pub fn poll_sent(stream: &TcpStream, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
    // From now on only a socket with nothing left to send counts as writable.
    SockRef::from(stream).set_tcp_notsent_lowat(1)?;

    loop {
        ready!(stream.poll_write_ready(cx))?;

        match stream.try_io(Interest::WRITABLE, || writable_now(stream)) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            result => return Poll::Ready(result),
        }
    }
}

/// Asks the kernel: what the runtime knows is from before.
fn writable_now(stream: &TcpStream) -> io::Result<()> {
    match poll(&mut [PollFd::new(stream, PollFlags::OUT)], Some(&NOW))? {
        0 => Err(ErrorKind::WouldBlock.into()),
        _ => Ok(()),
    }
}

const NOW: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 0,
};
