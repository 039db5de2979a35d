//! Streams that count what is read from them, and note when they were last active
//! and when they ended.
//!
//! `copy_bidirectional` tells the counts only when all went well, and who ended
//! first not at all.

use std::io;
use std::pin::Pin;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Instant;

/// What is known about one side of a connection, also while the relay holds its
/// stream.
#[derive(Debug)]
pub struct Meter {
    bytes: AtomicU64,

    started: Instant,

    /// In milliseconds after the start, because an `Instant` cannot be atomic.
    active: AtomicU64,

    ended: OnceLock<Instant>,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            bytes: AtomicU64::new(0),
            started: Instant::now(),
            active: AtomicU64::new(0),
            ended: OnceLock::new(),
        }
    }
}

impl Meter {
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
        self.ended.get().is_some()
    }

    /// Whether this side ended, by its last byte or by an error, while the other
    /// was still open.
    pub fn ended_before(&self, other: &Self) -> bool {
        match (self.ended.get(), other.ended.get()) {
            (Some(ours), Some(theirs)) => ours < theirs,
            (ours, _) => ours.is_some(),
        }
    }

    fn touch(&self) {
        let elapsed = self.started.elapsed().as_millis();
        self.active.store(
            u64::try_from(elapsed).unwrap_or(u64::MAX),
            Ordering::Relaxed,
        );
    }

    fn end(&self) {
        self.ended.get_or_init(Instant::now);
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
        self.meter.touch();
        if count == 0 {
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
