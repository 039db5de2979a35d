//! Station *choose*: which backend gets this connection?

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

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
    /// Balances over `backends`. The generator comes from
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

    /// Whether there is nothing to balance over: no backend was given for clients that
    /// have no route.
    pub fn is_empty(&self) -> bool {
        self.backends.is_empty()
    }

    /// How many backends a client could still go to.
    pub fn untried(&self, tried: &[Arc<Backend>]) -> u32 {
        let left = self.backends.iter().filter(|b| is_untried(b, tried));
        u32::try_from(left.count()).unwrap_or(u32::MAX)
    }

    /// A backend whose ejection is over. It gets one client, and the others go elsewhere
    /// until that one is connected.
    pub fn try_again(&self, tried: &[Arc<Backend>], patience: Duration) -> Option<InFlight> {
        let mut left = self.backends.iter().filter(|b| is_untried(b, tried));
        left.find(|b| b.may_try(patience)).map(Backend::enter)
    }

    /// Chooses a backend that is up and was not `tried`. One that is ejected is
    /// better than none: ejections never take the last backend away.
    pub fn pick(&self, tried: &[Arc<Backend>]) -> Option<InFlight> {
        self.pick_among(|backend| is_untried(backend, tried) && !backend.is_ejected())
            .or_else(|| self.pick_among(|backend| is_untried(backend, tried)))
    }

    /// Chooses, and counts the connection for the backend at once: until then,
    /// others that choose at the same time would see it as free.
    fn pick_among(&self, usable: impl Fn(&Arc<Backend>) -> bool) -> Option<InFlight> {
        let count = self.backends.len();
        let usable = |n: &usize| usable(&self.backends[*n]);

        // The turn of a dead backend is spent, not given to the next one, which
        // would then get twice its share. Turns are spent all at once or, if another
        // client was faster, not at all: one by one, two clients could take them from
        // each other until none was left for the only backend that is up.
        let next = |turn: &AtomicUsize| {
            let mut chosen = None;
            let _ = turn.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |turn| {
                chosen = (turn..turn + count).map(|n| n % count).find(usable);
                Some(chosen? + 1)
            });
            chosen
        };

        let chosen = match &self.memory {
            Memory::RoundRobin(turn) => next(turn),

            Memory::Random(rng) => {
                let mut rng = rng.lock().expect("no panic while held");

                // Drawing again costs the same for any number of backends. Only when
                // so few are up that no draw has met one are they counted.
                let drawn = (0..count.min(32)).map(|_| rng.usize(..count)).find(usable);
                drawn.or_else(|| rng.choice((0..count).filter(usable).collect::<Vec<_>>()))
            }

            Memory::Weighted(credit) => smooth_weighted(
                &self.backends,
                usable,
                &mut credit.lock().expect("no panic while held"),
            ),

            Memory::LeastConnections(turn) => {
                // Equals take turns: otherwise an idle proxy would give every
                // connection to the first.
                let first = next(turn)?;
                (first..first + count)
                    .map(|n| n % count)
                    .filter(usable)
                    .min_by_key(|&n| self.backends[n].in_flight())
            }
        };

        chosen.map(|n| self.backends[n].enter())
    }
}

fn is_untried(backend: &Arc<Backend>, tried: &[Arc<Backend>]) -> bool {
    backend.is_up() && !tried.iter().any(|other| Arc::ptr_eq(other, backend))
}

/// Smooth weighted round robin, as nginx does it: each round everyone usable earns
/// its weight, and the richest is chosen and pays what all have earned. Weights 3 and
/// 1 give a a b a, not a a a b: the heavy one gets no burst.
fn smooth_weighted(
    backends: &[Arc<Backend>],
    usable: impl Fn(&usize) -> bool,
    credit: &mut [i32],
) -> Option<usize> {
    let mut richest: Option<usize> = None;
    let mut earned = 0;

    for (n, backend) in backends.iter().enumerate() {
        if !usable(&n) {
            continue;
        }

        let weight = i32::from(backend.weight);
        credit[n] += weight;
        earned += weight;

        if richest.is_none_or(|richest| credit[n] > credit[richest]) {
            richest = Some(n);
        }
    }

    credit[richest?] -= earned;
    richest
}

#[cfg(test)]
mod tests;
