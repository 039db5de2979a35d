//! A backend: the name it was given, and the addresses behind that name.

pub mod address;

use std::fmt::{self, Display};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tokio::net::lookup_host;
use tokio::sync::Notify;
use tracing::warn;

use crate::backend::address::BackendAddress;
use crate::choose::ejection::Ejection;
use crate::connect::pool::Pool;

/// A backend as it is used: resolved, and named as the user wrote it.
#[derive(Debug)]
pub struct Backend {
    /// What logs call it.
    pub name: String,

    /// Never empty. Each is tried: `localhost` may be both `::1` and `127.0.0.1`, and
    /// the server may listen on one of them only.
    pub addresses: Vec<SocketAddr>,

    /// Its share, relative to the weights of the others.
    pub weight: u16,

    /// Connections to it that wait for a client.
    pub pool: Pool,

    /// Which of the addresses answered last.
    preferred: AtomicUsize,

    up: AtomicBool,

    ejection: Mutex<Ejection>,

    suspicion: Notify,

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
            preferred: AtomicUsize::new(0),
            up: AtomicBool::new(true),
            ejection: Mutex::default(),
            suspicion: Notify::new(),
            in_flight: AtomicUsize::new(0),
        }
    }

    /// The addresses, beginning with the one that answered last.
    pub fn in_order(&self) -> Vec<SocketAddr> {
        let mut addresses = self.addresses.clone();
        addresses.rotate_left(self.preferred.load(Ordering::Relaxed));
        addresses
    }

    /// Notes that `address` has answered.
    pub fn prefer(&self, address: SocketAddr) {
        if let Some(n) = self.addresses.iter().position(|&own| own == address) {
            self.preferred.store(n, Ordering::Relaxed);
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

    /// Notes that no connection to it could be made; `fall` times in a row eject it.
    pub fn failed(&self, why: &dyn Display, fall: u32) {
        let pause = self.ejection().failure(Instant::now(), fall);

        if let Some(pause) = pause {
            let pause = humantime::format_duration(pause);
            warn!("backend {self} is ejected for {pause}: {why}");
        }
    }

    /// Notes that a connection to it was made.
    pub fn connected(&self) {
        self.ejection().success();
    }

    /// Whether clients should be spared this backend, even if it passes the checks.
    pub fn is_ejected(&self) -> bool {
        self.ejection().is_active()
    }

    /// Whether the caller is the one who has to try it, now that its ejection is over.
    pub fn may_try(&self, patience: Duration) -> bool {
        self.ejection().may_try(Instant::now(), patience)
    }

    fn ejection(&self) -> MutexGuard<'_, Ejection> {
        self.ejection.lock().expect("no panic while held")
    }

    /// Notes that a client heard nothing from it. That proves nothing, for the client
    /// may have been the cause; but somebody should look.
    pub fn suspect(&self) {
        self.suspicion.notify_one();
    }

    /// Waits until somebody should look, or has not since it was said.
    pub async fn suspected(&self) {
        self.suspicion.notified().await;
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

    /// Fails if connections to the backend would come back to `listener`, our own:
    /// each of them would make the next one, until nothing is left to make it with.
    pub fn must_not_be(&self, listener: SocketAddr) -> anyhow::Result<()> {
        ensure!(
            !self.addresses.iter().any(|&to| leads_to(to, listener)),
            "backend {self} is this proxy itself; choose another one with --backend, or another \
             address with --listen"
        );
        Ok(())
    }
}

/// Whether a connection to `to` arrives at `listener`, a socket of this machine.
fn leads_to(to: SocketAddr, listener: SocketAddr) -> bool {
    let ip = match to.ip().to_canonical() {
        // As a destination, "any address" is this machine.
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };

    // Only an address of this machine can be bound.
    let is_ours = || UdpSocket::bind((ip, 0)).is_ok();

    to.port() == listener.port()
        && match listener.ip().to_canonical() {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => ip.is_ipv4() && is_ours(),
            // It takes IPv4, too.
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => is_ours(),
            place => ip == place,
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
