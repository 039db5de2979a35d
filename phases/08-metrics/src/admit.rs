//! Station *admit*: who may come in?

pub mod rate;

use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::admit::rate::Buckets;
use crate::config::Config;
use crate::error::Error;

/// The limits that a new connection has to pass.
#[derive(Debug)]
pub struct Limits {
    most: usize,

    free: Arc<Semaphore>,

    buckets: Option<Mutex<Buckets>>,
}

impl Limits {
    /// As the command line says.
    pub fn new(config: &Config) -> Self {
        let most = config.max_connections.min(Semaphore::MAX_PERMITS);
        let buckets = Buckets::new(config.rate_limit, config.rate_burst, Instant::now());

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
