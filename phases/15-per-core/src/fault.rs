//! Station *fault*: breaks some connections on purpose, so that people can see what
//! their clients do then, before it happens by itself.

use std::str::FromStr;
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use fastrand::Rng;
use tokio::time::sleep;
use tracing::info;

use crate::account::metrics::Metrics;
use crate::config::value::duration;
use crate::error::Error;

/// What is broken on purpose.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fault")]
pub struct FaultSettings {
    /// Holds some connections up before they reach a backend: how many of them (0
    /// to 1), and for how long
    #[arg(id = "fault-delay", long, value_name = "P,TIME")]
    pub delay: Option<Delay>,

    /// Closes some connections before they reach a backend: how many of them (0 to 1)
    #[arg(id = "fault-disconnect", long, value_name = "P", value_parser = probability)]
    pub disconnect: Option<f64>,

    /// Repeats the faults of the run that printed this seed
    #[arg(id = "fault-seed", long, value_name = "N")]
    pub seed: Option<u64>,
}

/// The faults that are switched on.
#[derive(Debug)]
pub struct Faults {
    delay: Option<Delay>,

    disconnect: f64,

    rng: Mutex<Rng>,
}

impl Faults {
    /// As the command line says; `None` if all faults are off, and then nothing is
    /// drawn for a connection.
    pub fn new(settings: &FaultSettings) -> Option<Self> {
        if settings.delay.is_none() && settings.disconnect.is_none() {
            return None;
        }

        let seed = settings.seed.unwrap_or_else(|| fastrand::u64(..));
        info!("faults are on; --fault-seed {seed} repeats this run");

        Some(Self {
            delay: settings.delay,
            disconnect: settings.disconnect.unwrap_or(0.0),
            rng: Mutex::new(Rng::with_seed(seed)),
        })
    }

    /// Delays a connection, ends it, does both, or lets it pass.
    pub async fn strike(&self, metrics: &Metrics) -> Result<(), Error> {
        let (delay, disconnect) = self.draw();

        if let Some(time) = delay {
            metrics.faults.with_label_values(&["delay"]).inc();
            sleep(time).await;
        }
        if disconnect {
            metrics.faults.with_label_values(&["disconnect"]).inc();
            return Err(Error::Fault);
        }
        Ok(())
    }

    /// Draws for both faults each time, also for one that is off: the fate of the
    /// n-th connection depends on the seed and on n, not on the other fault.
    fn draw(&self) -> (Option<Duration>, bool) {
        let (first, second) = {
            let mut rng = self.rng.lock().expect("no panic while held");
            (rng.f64(), rng.f64())
        };

        let delay = self.delay.filter(|delay| first < delay.probability);
        (delay.map(|delay| delay.time), second < self.disconnect)
    }
}

/// A delay as it is written on the command line: `0.1,500ms`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    probability: f64,

    time: Duration,
}

impl FromStr for Delay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (probability_text, time) = text
            .split_once(',')
            .ok_or_else(|| format!("the delay is missing; write {text},500ms"))?;

        Ok(Self {
            probability: probability(probability_text)?,
            time: duration(time)?,
        })
    }
}

/// A number from 0, never, to 1, always.
pub fn probability(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..=1.0).contains(&number) => Ok(number),
        _ => Err(format!(
            "{text:?} is not a probability; use a number from 0 to 1"
        )),
    }
}

#[cfg(test)]
mod tests;
