//! Watches the processes of a contender while it works.

use std::time::Instant;

use crate::proc;
use crate::result::Sample;

/// A group of processes, looked at as one.
#[derive(Debug)]
pub struct Sampler {
    pids: Vec<u32>,

    started: Instant,

    /// What was seen so far.
    pub samples: Vec<Sample>,
}

impl Sampler {
    /// Begins with a first look.
    pub fn start(pids: Vec<u32>) -> Self {
        let mut sampler = Self {
            pids,
            started: Instant::now(),
            samples: Vec::new(),
        };
        sampler.look();
        sampler
    }

    /// Looks once. A group without processes (the direct run) has nothing to show.
    pub fn look(&mut self) {
        if self.pids.is_empty() {
            return;
        }

        let memory: Vec<_> = self
            .pids
            .iter()
            .filter_map(|&pid| proc::memory(pid))
            .collect();
        self.samples.push(Sample {
            at: self.started.elapsed().as_secs_f64(),
            cpu_seconds: self
                .pids
                .iter()
                .filter_map(|&pid| proc::cpu_seconds(pid))
                .sum(),
            rss_kib: memory.iter().map(|memory| memory.rss_kib).sum(),
            pss_kib: memory.iter().map(|memory| memory.pss_kib).sum(),
        });
    }

    /// How many cores it used on average, from the first look to the last.
    pub fn cores(&self) -> Option<f64> {
        let (first, last) = (self.samples.first()?, self.samples.last()?);
        Some((last.cpu_seconds - first.cpu_seconds) / (last.at - first.at))
    }
}
