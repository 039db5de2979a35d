//! Passive checks: what the clients' own connections say about a backend.

use std::time::{Duration, Instant};

/// Failures of one backend, and how long it is left alone because of them.
#[derive(Debug, Default)]
pub struct Ejection {
    failures: u32,

    ejections: u32,

    until: Option<Instant>,
}

impl Ejection {
    /// Notes that a client was failed. The `fall`-th time in a row ejects the
    /// backend, and the time for which it does is returned.
    ///
    /// When that time is over the backend gets one more try, not `fall` more: its
    /// next failure ejects it again, for twice as long.
    pub fn failure(&mut self, now: Instant, fall: u32) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);
        if self.failures < fall || self.is_active(now) {
            return None;
        }

        let pause = (FIRST_PAUSE * 2_u32.pow(self.ejections.min(6))).min(LONGEST_PAUSE);
        self.ejections += 1;
        self.until = Some(now + pause);
        Some(pause)
    }

    /// Notes that a client was served. During an ejection this says nothing: it may
    /// be the end of a connection that began before.
    pub fn success(&mut self, now: Instant) {
        if !self.is_active(now) {
            *self = Self::default();
        }
    }

    /// Whether the backend is ejected.
    pub fn is_active(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now < until)
    }
}

/// Long enough to spare clients the retry, short enough for a backend that only
/// restarts.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// A backend that has been away for an hour should be found within a minute.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

#[cfg(test)]
mod tests;
