//! Passive checks: what our own connections for clients say about a backend.

use std::time::{Duration, Instant};

/// Failures of one backend, and how long it is left alone because of them.
#[derive(Debug, Default)]
pub struct Ejection {
    failures: u32,

    ejections: u32,

    /// When it may be tried again, if it is ejected.
    until: Option<Instant>,

    /// Whether a client is trying.
    trying: bool,
}

impl Ejection {
    /// Notes that a connection could not be made. The `fall`-th time in a row ejects
    /// the backend, and the time for which it does is returned.
    ///
    /// When that time is over the backend gets one more try, not `fall` more: its
    /// next failure ejects it again, for twice as long.
    pub fn failure(&mut self, now: Instant, fall: u32) -> Option<Duration> {
        self.failures = self.failures.saturating_add(1);

        // Used all the same, because there was no other.
        let paused = !self.trying && self.until.is_some_and(|until| now < until);
        if self.failures < fall || paused {
            return None;
        }

        let pause = (FIRST_PAUSE * 2_u32.pow(self.ejections.min(6))).min(LONGEST_PAUSE);
        self.ejections += 1;
        self.until = Some(now + pause);
        self.trying = false;
        Some(pause)
    }

    /// Notes that a connection was made, which is the best proof there is.
    pub fn success(&mut self) {
        *self = Self::default();
    }

    /// Whether clients are to be spared the backend.
    pub fn is_active(&self) -> bool {
        self.until.is_some()
    }

    /// Whether the pause is over and nobody is trying yet. The one who hears yes has to
    /// try. If nothing is heard of that for `patience`, another one may.
    pub fn may_try(&mut self, now: Instant, patience: Duration) -> bool {
        let over = self.until.is_some_and(|until| until <= now);
        if over {
            self.until = Some(now + patience);
            self.trying = true;
        }
        over
    }
}

/// Long enough to spare clients the retry, short enough for a backend that only
/// restarts.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// A backend that has been away for an hour should be found within a minute.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

#[cfg(test)]
mod tests;
