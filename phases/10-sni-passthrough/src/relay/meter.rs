//! Streams that count what is read from them, and note when they were last active
//! and whether they have ended.
//!
//! `copy_bidirectional` tells nothing before both sides have ended.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use prometheus::IntCounter;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// The two sides of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Who connected to the proxy.
    Client,

    /// Who the proxy connected to.
    Backend,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Client => "client",
            Self::Backend => "backend",
        })
    }
}

/// What is known about one side of a connection, also while the relay holds its
/// stream.
#[derive(Debug)]
pub struct Meter {
    bytes: AtomicU64,

    total: IntCounter,

    started: Instant,

    /// In milliseconds after the start, because an `Instant` cannot be atomic.
    active: AtomicU64,

    ended: AtomicBool,

    failed: AtomicBool,
}

impl Meter {
    /// Starts at zero, and adds to `total` as well: at once, not at the end, or a
    /// graph would show nothing of a long connection until it is over.
    pub fn new(total: IntCounter) -> Self {
        Self {
            bytes: AtomicU64::new(0),
            total,
            started: Instant::now(),
            active: AtomicU64::new(0),
            ended: AtomicBool::new(false),
            failed: AtomicBool::new(false),
        }
    }

    /// How much this side has sent.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// When a byte last came from this side or went to it, or the end came from it.
    pub fn last_active(&self) -> Instant {
        self.started + Duration::from_millis(self.active.load(Ordering::Relaxed))
    }

    /// Whether this side has sent its last byte.
    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Whether reading from it or writing to it gave an error.
    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    fn touch(&self) {
        let elapsed = self.started.elapsed().as_millis();
        self.active.store(
            u64::try_from(elapsed).unwrap_or(u64::MAX),
            Ordering::Relaxed,
        );
    }

    fn fail(&self) {
        self.failed.store(true, Ordering::Relaxed);
        self.end();
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
        let count = buf.filled().len() - before;

        self.meter.bytes.fetch_add(count as u64, Ordering::Relaxed);
        self.meter.total.inc_by(count as u64);
        self.meter.touch();
        if result.is_err() {
            self.meter.fail();
        } else if count == 0 {
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
            self.meter.fail();
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
