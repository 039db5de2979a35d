//! Station *account*: one line in the log for each connection, however it ends.

pub mod cause;
pub mod endpoint;
pub mod metrics;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tracing::info;

use crate::account::cause::Cause;
use crate::backend::Backend;
use crate::error::Error;
use crate::proxy::Proxy;
use crate::relay::meter::Meter;

/// What is known about one connection. The stations fill it in; when it is dropped
/// it is counted and logged, so that no way out can forget either.
#[derive(Debug)]
pub struct Record {
    proxy: Arc<Proxy>,

    client: SocketAddr,

    started: Instant,

    /// The backend of the last attempt.
    backend: Option<Arc<Backend>>,

    attempts: u64,

    dialing: Option<Instant>,

    connected: Option<Duration>,

    /// What the client sends.
    pub from_client: Meter,

    /// What the backend sends.
    pub from_backend: Meter,

    result: Option<Result<(), Error>>,
}

impl Record {
    /// Begins with the accept.
    pub fn new(proxy: Arc<Proxy>, client: SocketAddr) -> Self {
        let metrics = &proxy.metrics;
        metrics.connections.inc();
        metrics.active.inc();

        Self {
            client,
            started: Instant::now(),
            backend: None,
            attempts: 0,
            dialing: None,
            connected: None,
            from_client: Meter::new(metrics.bytes_from_clients.clone()),
            from_backend: Meter::new(metrics.bytes_from_backends.clone()),
            result: None,
            proxy,
        }
    }

    /// Notes an attempt to connect.
    pub fn attempt(&mut self, backend: &Arc<Backend>) {
        self.backend = Some(Arc::clone(backend));
        self.attempts += 1;
        self.dialing.get_or_insert_with(Instant::now);
    }

    /// Notes that the last attempt succeeded. What counts is the time since the first
    /// one: before it, the client may have been asked or held up.
    pub fn connected(&mut self) {
        self.connected = self.dialing.map(|since| since.elapsed());
    }

    /// Notes how the session ended.
    pub fn close(mut self, result: Result<(), Error>) {
        self.result = Some(result);
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let total = self.started.elapsed();
        let Cause(cause) = match &self.result {
            Some(result) => Cause::of(result),
            None => Cause::of_dropped(self.connected.is_some()),
        };

        let metrics = &self.proxy.metrics;
        metrics.active.dec();
        metrics.closed.with_label_values(&[cause]).inc();
        metrics.retries.inc_by(self.attempts.saturating_sub(1));
        metrics.session_duration.observe(total.as_secs_f64());
        if let Some(connected) = self.connected {
            metrics.connect_duration.observe(connected.as_secs_f64());
        }

        let error = self
            .result
            .as_ref()
            .and_then(|result| result.as_ref().err());
        match error {
            Some(Error::Full(_)) => metrics
                .rejected
                .with_label_values(&["max_connections"])
                .inc(),
            Some(Error::TooFast(_)) => metrics.rejected.with_label_values(&["rate_limit"]).inc(),
            _ => {}
        }

        // The metrics have all of them.
        if error.is_some_and(Error::is_refusal) && !self.proxy.refusals.lets_through() {
            return;
        }

        info!(
            target: "access",
            client = %self.client,
            backend = self.backend.as_ref().map(tracing::field::display),
            cause,
            attempts = self.attempts,
            connect_ms = self.connected.map(millis),
            total_ms = millis(total),
            bytes_from_client = self.from_client.bytes(),
            bytes_from_backend = self.from_backend.bytes(),
            error = error.map(ToString::to_string),
        );
    }
}

/// With three decimals, as a number that also JSON has.
fn millis(duration: Duration) -> f64 {
    duration.as_micros() as f64 / 1000.0
}
