//! Station *choose*: which backend gets this connection?

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use clap::{Args, ValueEnum};
use fastrand::Rng;

use crate::backend::Backend;
use crate::backend::InFlight;

/// How a backend is chosen.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Choose")]
pub struct BalanceSettings {
    /// How a backend is chosen for a connection
    #[arg(id = "balance", long, value_name = "HOW", value_enum, default_value_t = Balance::RoundRobin)]
    pub how: Balance,
}

/// The ways to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Balance {
    /// Each in turn
    RoundRobin,
    /// Any, each time anew
    Random,
    /// Each in turn, as often as its weight says
    Weighted,
    /// The one with the fewest connections
    LeastConnections,
}

/// Backends, and what the chosen way has to remember.
#[derive(Debug)]
pub struct Balancer {
    backends: Vec<Arc<Backend>>,

    memory: Memory,
}

#[derive(Debug)]
enum Memory {
    RoundRobin(AtomicUsize),

    Random(Mutex<Rng>),

    Weighted(Mutex<Vec<i32>>),

    LeastConnections(AtomicUsize),
}

impl Balancer {
    /// Balances over `backends`, which must not be empty. The generator comes from
    /// outside, so that a test can repeat what it draws.
    pub fn new(balance: Balance, backends: Vec<Arc<Backend>>, rng: Rng) -> Self {
        let memory = match balance {
            Balance::RoundRobin => Memory::RoundRobin(AtomicUsize::new(0)),
            Balance::Random => Memory::Random(Mutex::new(rng)),
            Balance::Weighted => Memory::Weighted(Mutex::new(vec![0; backends.len()])),
            Balance::LeastConnections => Memory::LeastConnections(AtomicUsize::new(0)),
        };

        Self { backends, memory }
    }

    /// Chooses a backend, and counts the connection for it at once: until then,
    /// others that choose at the same time would see it as free.
    pub fn pick(&self) -> InFlight {
        let count = self.backends.len();

        let chosen = match &self.memory {
            Memory::RoundRobin(turn) => turn.fetch_add(1, Ordering::Relaxed) % count,

            Memory::Random(rng) => rng.lock().expect("no panic while held").usize(..count),

            Memory::Weighted(credit) => smooth_weighted(
                &self.backends,
                &mut credit.lock().expect("no panic while held"),
            ),

            Memory::LeastConnections(turn) => {
                // Equals take turns: otherwise an idle proxy would give every
                // connection to the first.
                let first = turn.fetch_add(1, Ordering::Relaxed);
                (first..first + count)
                    .map(|n| n % count)
                    .min_by_key(|&n| self.backends[n].in_flight())
                    .unwrap_or_default()
            }
        };

        self.backends[chosen].enter()
    }
}

/// Smooth weighted round robin, as nginx does it: each round everyone earns its
/// weight, and the richest is chosen and pays what all have earned. Weights 3 and
/// 1 give a a b a, not a a a b: the heavy one gets no burst.
fn smooth_weighted(backends: &[Arc<Backend>], credit: &mut [i32]) -> usize {
    let mut richest = 0;
    let mut earned = 0;

    for (n, backend) in backends.iter().enumerate() {
        let weight = i32::from(backend.weight);
        credit[n] += weight;
        earned += weight;

        if credit[n] > credit[richest] {
            richest = n;
        }
    }

    credit[richest] -= earned;
    richest
}

#[cfg(test)]
mod tests;
