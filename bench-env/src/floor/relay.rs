//! Both directions in one task, without a buffer of its own.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Moves bytes until both sides have ended, or one has failed.
pub async fn relay(mut client: TcpStream, mut backend: TcpStream) -> io::Result<()> {
    let (mut there, mut back) = (Direction::default(), Direction::default());

    poll_fn(|cx| {
        let sent = there.advance(cx, &mut client, &mut backend)?;
        let answered = back.advance(cx, &mut backend, &mut client)?;
        if sent.is_ready() && answered.is_ready() {
            Poll::Ready(Ok(()))
        } else {
            Poll::Pending
        }
    })
    .await
}

/// One direction: what was read, but not taken yet.
#[derive(Default)]
struct Direction {
    left: Vec<u8>,

    read_all: bool,

    done: bool,
}

impl Direction {
    /// As far as it goes now. Ready once the end of the stream was passed on.
    fn advance(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut TcpStream,
        to: &mut TcpStream,
    ) -> io::Result<Poll<()>> {
        if self.done {
            return Ok(Poll::Ready(()));
        }
        match self.work(cx, from, to) {
            Poll::Ready(Ok(())) => {
                self.done = true;
                Ok(Poll::Ready(()))
            }
            Poll::Ready(Err(error)) => Err(error),
            Poll::Pending => Ok(Poll::Pending),
        }
    }

    fn work(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut TcpStream,
        to: &mut TcpStream,
    ) -> Poll<io::Result<()>> {
        loop {
            while !self.left.is_empty() {
                let count = ready!(Pin::new(&mut *to).poll_write(cx, &self.left))?;
                self.left.drain(..count);
            }
            if self.read_all {
                return Pin::new(to).poll_shutdown(cx);
            }
            ready!(BUFFER.with_borrow_mut(|buffer| self.pass(cx, from, to, buffer)))?;
        }
    }

    /// Reads once, and writes what can be written at once; the rest is kept.
    fn pass(
        &mut self,
        cx: &mut Context<'_>,
        from: &mut TcpStream,
        to: &mut TcpStream,
        buffer: &mut [u8],
    ) -> Poll<io::Result<()>> {
        let mut buffer = ReadBuf::new(buffer);
        ready!(Pin::new(from).poll_read(cx, &mut buffer))?;

        let bytes = buffer.filled();
        if bytes.is_empty() {
            self.read_all = true;
            return Poll::Ready(Ok(()));
        }
        let written = match Pin::new(to).poll_write(cx, bytes) {
            Poll::Ready(result) => result?,
            Poll::Pending => 0,
        };
        self.left.extend(&bytes[written..]);
        Poll::Ready(Ok(()))
    }
}

thread_local! {
    /// Used only while bytes move, so that one is enough for all connections.
    static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; BUFFER_SIZE]);
}

/// Larger makes bulk a little cheaper, and drives everything else out of the cache.
const BUFFER_SIZE: usize = 64 * 1024;
