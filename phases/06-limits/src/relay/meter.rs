//! Streams that note when they were last active, and whether they have ended.
//!
//! `copy_bidirectional` tells nothing before both sides have ended.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// What is known about one side of a connection, also while the relay holds its
/// stream.
#[derive(Debug)]
pub struct Meter {
    started: Instant,

    /// In milliseconds after the start, because an `Instant` cannot be atomic.
    active: AtomicU64,

    ended: AtomicBool,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            active: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        }
    }
}

impl Meter {
    /// When a byte last came from this side or went to it, or the end came from it.
    pub fn last_active(&self) -> Instant {
        self.started + Duration::from_millis(self.active.load(Ordering::Relaxed))
    }

    /// Whether this side has sent its last byte.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    fn touch(&self) {
        let elapsed = self.started.elapsed().as_millis();
        self.active.store(
            u64::try_from(elapsed).unwrap_or(u64::MAX),
            Ordering::Relaxed,
        );
    }

    fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// A stream under a meter.
#[derive(Debug)]
pub struct Metered<'a> {
    stream: TcpStream,

    meter: &'a Meter,
}

impl<'a> Metered<'a> {
    /// Puts `stream` under `meter`.
    pub fn new(stream: TcpStream, meter: &'a Meter) -> Self {
        Self { stream, meter }
    }
}

impl AsyncRead for Metered<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let result = ready!(Pin::new(&mut self.stream).poll_read(cx, buf));

        self.meter.touch();
        if buf.filled().len() == before {
            self.meter.end();
        }

        Poll::Ready(result)
    }
}

impl AsyncWrite for Metered<'_> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = ready!(Pin::new(&mut self.stream).poll_write(cx, buf));

        self.meter.touch();
        if result.is_err() {
            self.meter.end();
        }

        Poll::Ready(result)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
