//! How long one client waits for a backend, and what each attempt gets of that time.

use std::time::{Duration, Instant};

use clap::Args;

use crate::config::value::{at_least_one, duration};

/// How long, and how often, a backend is tried.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connect")]
pub struct BudgetSettings {
    /// How long a client waits for a backend, all attempts together
    #[arg(id = "connect-timeout", long, value_name = "TIME", default_value = DEFAULT_CONNECT_TIMEOUT, value_parser = duration)]
    pub timeout: Duration,

    /// How many backends a client tries at most
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ATTEMPTS, value_parser = at_least_one::<u32>)]
    pub attempts: u32,
}

/// What is left for one client.
#[derive(Debug)]
pub struct Budget {
    deadline: Instant,

    attempts: u32,
}

impl Budget {
    /// The whole of it, from `now` on.
    pub fn new(settings: &BudgetSettings, now: Instant) -> Self {
        Self {
            deadline: now + settings.timeout,
            attempts: settings.attempts,
        }
    }

    /// The time for one more attempt, if one can be made: `untried` backends are left.
    ///
    /// Each attempt gets an equal part of what is left: a backend that swallows packets
    /// must not use up the turn of the one that would have answered. A backend that
    /// cannot be tried gets nothing.
    pub fn spend(&mut self, now: Instant, untried: u32) -> Option<Duration> {
        let attempts = self.attempts.min(untried);
        let left = self.deadline.saturating_duration_since(now);
        let part = left.checked_div(attempts)?;

        self.attempts -= 1;
        Some(part)
    }
}

/// Backends are near: one that has not answered after a third of this will not
/// answer. Longer keeps clients waiting for a dead one.
const DEFAULT_CONNECT_TIMEOUT: &str = "1s";

/// The first backend and two others: if those fail, it is not the backends.
const DEFAULT_ATTEMPTS: u32 = 3;

#[cfg(test)]
mod tests;
