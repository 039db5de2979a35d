//! A backend: the name it was given, and the addresses behind that name.

pub mod address;

use std::fmt::{self, Display};
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use anyhow::{Context, ensure};
use tokio::net::lookup_host;
use tracing::warn;

use crate::backend::address::BackendAddress;
use crate::choose::ejection::Ejection;
use crate::connect::pool::Pool;

/// A backend as it is used: resolved, and named as the user wrote it.
#[derive(Debug)]
pub struct Backend {
    /// What logs call it.
    pub name: String,

    /// Never empty. They are tried in order: `localhost` may be both `::1` and
    /// `127.0.0.1`, and the server may listen on one of them only.
    pub addresses: Vec<SocketAddr>,

    /// Its share, relative to the weights of the others.
    pub weight: u16,

    /// Connections to it that wait for a client.
    pub pool: Pool,

    up: AtomicBool,

    ejection: Mutex<Ejection>,

    in_flight: AtomicUsize,
}

impl Backend {
    /// Resolves the name. Once, at the start: a typo should end the program
    /// there, not fail each client later.
    pub async fn resolve(address: &BackendAddress) -> anyhow::Result<Self> {
        let name = &address.host_and_port;
        let addresses: Vec<_> = lookup_host(name)
            .await
            .with_context(|| format!("cannot resolve backend {name}"))?
            .collect();
        ensure!(
            !addresses.is_empty(),
            "cannot resolve backend {name}: no address"
        );

        Ok(Self::new(name.clone(), addresses, address.weight))
    }

    /// A backend that nobody uses yet. It counts as up until it is proven otherwise:
    /// a proxy that begins by refusing everybody turns its own restart into an outage.
    pub fn new(name: String, addresses: Vec<SocketAddr>, weight: u16) -> Self {
        Self {
            name,
            addresses,
            weight,
            pool: Pool::default(),
            up: AtomicBool::new(true),
            ejection: Mutex::default(),
            in_flight: AtomicUsize::new(0),
        }
    }

    /// What the last checks say.
    pub fn is_up(&self) -> bool {
        self.up.load(Ordering::Relaxed)
    }

    /// Takes the backend out, or brings it back.
    pub fn set_up(&self, up: bool) {
        self.up.store(up, Ordering::Relaxed);
    }

    /// Notes that it failed a client; `fall` times in a row eject it.
    pub fn failed(&self, why: &dyn Display, fall: u32) {
        let mut ejection = self.ejection.lock().expect("no panic while held");

        if let Some(pause) = ejection.failure(Instant::now(), fall) {
            let pause = humantime::format_duration(pause);
            warn!("backend {self} is ejected for {pause}: {why}");
        }
    }

    /// Notes that it served a client.
    pub fn answered(&self) {
        let mut ejection = self.ejection.lock().expect("no panic while held");
        ejection.success(Instant::now());
    }

    /// Whether clients should be spared this backend, even if it passes the checks.
    pub fn is_ejected(&self) -> bool {
        let ejection = self.ejection.lock().expect("no panic while held");
        ejection.is_active(Instant::now())
    }

    /// Counts one connection for as long as the guard lives.
    pub fn enter(self: &Arc<Self>) -> InFlight {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(Arc::clone(self))
    }

    /// Connections that are on their way to this backend or use it.
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The backend of one connection. It is counted by this guard, not by a call at
/// each end, because a connection has many ends, and one of them would be forgotten.
#[derive(Debug)]
pub struct InFlight(Arc<Backend>);

impl Deref for InFlight {
    type Target = Arc<Backend>;

    fn deref(&self) -> &Arc<Backend> {
        &self.0
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
