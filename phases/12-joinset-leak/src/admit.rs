//! Station *admit*: who may come in?

pub mod descriptors;
pub mod rate;

use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use clap::Args;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::admit::rate::{Buckets, RateSettings};
use crate::config::value::at_least_one;
use crate::error::Error;

/// How many clients are let in.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Admit")]
pub struct AdmitSettings {
    /// Clients served at the same time; one more is closed at once
    #[arg(long, value_name = "N", default_value_t = DEFAULT_MAX_CONNECTIONS, value_parser = at_least_one::<usize>)]
    pub max_connections: usize,

    /// How fast they may come in
    #[command(flatten)]
    pub rate: RateSettings,
}

/// The limits that a new connection has to pass.
#[derive(Debug)]
pub struct Limits {
    most: usize,

    free: Arc<Semaphore>,

    buckets: Option<Mutex<Buckets>>,
}

impl Limits {
    /// As the command line says.
    pub fn new(settings: &AdmitSettings) -> Self {
        let most = settings.max_connections.min(Semaphore::MAX_PERMITS);
        let buckets = Buckets::new(settings.rate.limit, settings.rate.burst, Instant::now());

        Self {
            most,
            free: Arc::new(Semaphore::new(most)),
            buckets: buckets.map(Mutex::new),
        }
    }

    /// Lets a client in for as long as it holds the permit. Whoever is not let in is
    /// told at once, by a closed connection: in a queue it would only learn later
    /// what a retry elsewhere would tell it now.
    pub fn admit(&self, client: IpAddr) -> Result<OwnedSemaphorePermit, Error> {
        let permit = Arc::clone(&self.free)
            .try_acquire_owned()
            .map_err(|_| Error::Full(self.most))?;

        if let Some(buckets) = &self.buckets {
            let mut buckets = buckets.lock().expect("no panic while held");
            if !buckets.take(client, Instant::now()) {
                return Err(Error::TooFast(client));
            }
        }

        Ok(permit)
    }
}

/// Two descriptors each, so that twice this and the pools must fit into `ulimit -Hn`; if
/// it does not, fewer are served, and the log says so at the start. Too high, and
/// `accept` fails instead, which clients notice as a hang.
const DEFAULT_MAX_CONNECTIONS: usize = 1024;
