//! How many connections should wait for clients?
//!
//! As many as clients take while the pool still replaces what others have taken. On
//! average that is the rate of clients times the time that a new connection takes
//! (Little's law), but clients do not come on average: they come in bursts. So the
//! number is not computed from two averages. It is counted, and its peak is
//! remembered for a while.

use std::str::FromStr;
use std::time::Duration;

use tokio::time::Instant;

/// The bounds of a pool, as they are written on the command line: `auto`, or a
/// number, which leaves it no choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolSize {
    /// Connections that wait also when nobody comes.
    pub least: usize,

    /// Connections that wait at most.
    pub most: usize,
}

impl FromStr for PoolSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "auto" {
            return Ok(AUTO);
        }
        match text.parse() {
            Ok(size) if size <= LARGEST => Ok(Self {
                least: size,
                most: size,
            }),
            _ => Err(format!(
                "write auto, or a number of connections, 0 for none and at most {LARGEST}"
            )),
        }
    }
}

/// What the clients of one backend have lately wanted from its pool. It reads no
/// clock, so that a day can be tried in a moment.
#[derive(Debug)]
pub struct Demand {
    size: PoolSize,

    memory: Duration,

    owed: usize,

    peak: usize,

    peak_at: Instant,
}

impl Demand {
    /// Nobody has come yet. A peak is forgotten little by little within `memory`.
    pub fn new(size: PoolSize, memory: Duration, now: Instant) -> Self {
        Self {
            size,
            memory,
            owed: 0,
            peak: 0,
            peak_at: now,
        }
    }

    /// A client has come, whether there was a connection for it or not.
    pub fn taken(&mut self, now: Instant) {
        // More than the pool may hold would only take longer to be forgotten.
        self.owed = (self.owed + 1).min(self.size.most);

        if self.owed >= self.remembered(now) {
            self.peak = self.owed;
            self.peak_at = now;
        }
    }

    /// A connection was opened for one that was taken.
    pub fn replaced(&mut self) {
        self.owed = self.owed.saturating_sub(1);
    }

    /// No more are opened for now: the pool is full, or its backend is away.
    pub fn settled(&mut self) {
        self.owed = 0;
    }

    /// How many connections should wait.
    pub fn target(&self, now: Instant) -> usize {
        self.remembered(now).clamp(self.size.least, self.size.most)
    }

    /// What is left of the peak. It falls evenly, so that a burst that does not come
    /// again is gone when the connections that were opened for it have become too old.
    fn remembered(&self, now: Instant) -> usize {
        let left = self.memory.saturating_sub(now - self.peak_at);
        let share = self.peak as u128 * left.as_nanos();

        usize::try_from(share.div_ceil(self.memory.as_nanos())).unwrap_or(usize::MAX)
    }
}

/// At rest one connection, for a client that comes alone. In a crowd no more than a
/// small server can spare that has a thread for each connection, as several proxies
/// may want as many.
const AUTO: PoolSize = PoolSize { least: 1, most: 32 };

/// More at one backend is a mistake: as many descriptors would be missing for clients.
const LARGEST: usize = 1024;

#[cfg(test)]
mod tests;
