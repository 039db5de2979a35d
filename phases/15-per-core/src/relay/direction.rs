//! One direction of a connection: how far it has come, and how it ends.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::mem;
use std::net::Shutdown;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use socket2::SockRef;
use tokio::io::{Interest, Ready};

use crate::relay::flow::Flow;
use crate::relay::reset::{Fault, poll_sent};

/// What one side says to the other, from its first byte to its end.
///
/// However it is dropped, by a break, by a clock or because the program ends: a
/// receiver that has not heard the source's own end hears a reset. Half an answer
/// must not look like a whole one.
pub struct Direction<'a> {
    flow: Flow<'a>,

    state: State,

    /// Hears of a break while nobody reads.
    watch: Option<Watch<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The source may say more.
    Open,

    /// The source has said its last byte, and the receiver has been told.
    Ended,

    /// The source broke off. What it said before still goes on, and then a reset.
    Broken,
}

type Watch<'a> = Pin<Box<dyn Future<Output = io::Result<Ready>> + Send + 'a>>;

impl<'a> Direction<'a> {
    /// Begins.
    pub fn new(flow: Flow<'a>) -> Self {
        Self {
            flow,
            state: State::Open,
            watch: None,
        }
    }

    /// Whether the source may say more.
    pub fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// How many bytes the source has said.
    pub fn bytes(&self) -> u64 {
        self.flow.meter.bytes()
    }

    /// Whether something has happened since this was asked last.
    pub fn has_moved(&mut self) -> bool {
        mem::take(&mut self.flow.moved)
    }

    /// Passes on what there is, but not for long, and then the end. Ready when the
    /// end has been passed on, or when a side broke off.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        let ended = self.poll_end(cx)?;

        // A source from which nobody reads can break off as well, and the receiver may
        // not take what is pending for a long time.
        if (!self.is_open() || self.flow.is_stuck())
            && let Poll::Ready(error) = self.poll_break(cx)
        {
            return Poll::Ready(Err(Fault::Source(error)));
        }
        ended.map(Ok)
    }

    fn poll_end(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        if self.is_open() {
            ready!(self.flow.poll(cx))?;
            self.tell_end().map_err(Fault::Receiver)?;
            self.state = State::Ended;
            self.flow.moved = true;
        }
        Poll::Ready(Ok(()))
    }

    fn tell_end(&self) -> io::Result<()> {
        match SockRef::from(self.flow.to).shutdown(Shutdown::Write) {
            // It has broken off, which whoever reads from it will hear.
            Err(error) if error.kind() == ErrorKind::NotConnected => Ok(()),
            result => result,
        }
    }

    fn poll_break(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let from = self.flow.from;
        let watch = self
            .watch
            .get_or_insert_with(|| Box::pin(from.ready(Interest::ERROR)));
        let error = match ready!(watch.as_mut().poll(cx)) {
            Ok(_) => from.take_error().unwrap_or_else(Some),
            Err(error) => Some(error),
        };
        Poll::Ready(error.unwrap_or_else(|| ErrorKind::ConnectionReset.into()))
    }

    /// The source broke off. A receiver that has been told an end before keeps it.
    pub fn break_off(&mut self) {
        if self.is_open() {
            self.state = State::Broken;
        }
    }

    /// Sets how long the receiver of last words may take none of them. It is the
    /// kernel that knows what the receiver takes, so the kernel has this clock.
    pub fn limit_last_words(&self, patience: Duration) {
        // Fails only if there is no receiver any more.
        let _ = SockRef::from(self.flow.to).set_tcp_user_timeout(Some(patience));
    }

    /// Ready when the receiver has all that the source said before it broke off, or
    /// is gone, too.
    pub fn poll_last_words(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.state == State::Broken {
            let _ = ready!(self.flow.poll(cx));
            let _ = ready!(poll_sent(self.flow.to, cx));
        }
        Poll::Ready(())
    }
}

impl Drop for Direction<'_> {
    fn drop(&mut self) {
        if self.state != State::Ended {
            // Closing the socket is a reset now. It fails if that came from the other end.
            let _ = self.flow.to.set_zero_linger();
        }
    }
}
