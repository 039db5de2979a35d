//! What the proxy counts, in Prometheus' text format.
//!
//! Label values come from the configuration or from fixed lists, never from the
//! wire: a client must not be able to create a series. Each series exists from the
//! start, so that a graph shows zero instead of nothing.

use std::sync::Arc;

use prometheus::{
    Histogram, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Registry, TextEncoder,
    core::Collector, proto::MetricFamily, register_histogram_with_registry as histogram,
    register_int_counter_vec_with_registry as counters,
    register_int_counter_with_registry as counter, register_int_gauge_vec_with_registry as gauges,
    register_int_gauge_with_registry as gauge,
};

use crate::account::cause::Cause;
use crate::backend::Backend;
use crate::log;

/// All metrics of one proxy.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,

    /// Clients accepted, also those that were then rejected.
    pub connections: IntCounter,

    /// Clients being served.
    pub active: IntGauge,

    /// Clients turned away, by the limit that did it.
    pub rejected: IntCounterVec,

    /// Faults injected.
    pub faults: IntCounterVec,

    /// What the first bytes of clients said.
    pub peek_results: IntCounterVec,

    /// Bytes read from clients.
    pub bytes_from_clients: IntCounter,

    /// Bytes read from backends.
    pub bytes_from_backends: IntCounter,

    /// Clients that a backend failed.
    pub backend_failures: IntCounterVec,

    /// Attempts after the first.
    pub retries: IntCounter,

    /// Errors of `accept`.
    pub accept_errors: IntCounterVec,

    /// Time from the first attempt to a connected backend.
    pub connect_duration: Histogram,

    /// Time from the accept to the end.
    pub session_duration: Histogram,

    /// Connections that have ended, by cause.
    pub closed: IntCounterVec,

    /// 1 from the first signal on.
    pub draining: IntGauge,

    backend_up: IntGaugeVec,

    pool_idle: IntGaugeVec,
}

impl Metrics {
    /// Creates all series.
    pub fn new(backends: &[Arc<Backend>]) -> prometheus::Result<Self> {
        let r = &Registry::new();
        let bytes = counters!("tcpproxy_bytes_total", "Bytes passed on", &["direction"], r)?;

        let metrics = Self {
            registry: r.clone(),
            connections: counter!("tcpproxy_connections_total", "Clients accepted", r)?,
            active: gauge!("tcpproxy_connections_active", "Clients being served", r)?,
            rejected: counters!(
                "tcpproxy_rejected_total",
                "Clients turned away by a limit",
                &["reason"],
                r
            )?,
            faults: counters!(
                "tcpproxy_faults_total",
                "Connections broken on purpose",
                &["kind"],
                r
            )?,
            peek_results: counters!(
                "tcpproxy_peek_results_total",
                "What the first bytes of clients said",
                &["result"],
                r
            )?,
            bytes_from_clients: bytes.with_label_values(&["client_to_backend"]),
            bytes_from_backends: bytes.with_label_values(&["backend_to_client"]),
            backend_failures: counters!(
                "tcpproxy_backend_failures_total",
                "Clients that a backend failed",
                &["backend"],
                r
            )?,
            retries: counter!(
                "tcpproxy_retries_total",
                "Attempts to connect after the first",
                r
            )?,
            accept_errors: counters!(
                "tcpproxy_accept_errors_total",
                "Clients that could not be accepted at once",
                &["kind"],
                r
            )?,
            connect_duration: histogram!(
                "tcpproxy_connect_duration_seconds",
                "Time from the first attempt to a connected backend",
                CONNECT_SECONDS.to_vec(),
                r
            )?,
            session_duration: histogram!(
                "tcpproxy_session_duration_seconds",
                "Time from accept to close",
                SESSION_SECONDS.to_vec(),
                r
            )?,
            closed: counters!(
                "tcpproxy_closed_total",
                "Connections that have ended, by cause: who, and at which station",
                &["cause"],
                r
            )?,
            draining: gauge!(
                "tcpproxy_draining",
                "Whether the proxy waits for its last connections",
                r
            )?,
            backend_up: gauges!(
                "tcpproxy_backend_up",
                "Whether the last checks found the backend alive",
                &["backend"],
                r
            )?,
            pool_idle: gauges!(
                "tcpproxy_pool_idle_connections",
                "Connections that wait for a client",
                &["backend"],
                r
            )?,
        };

        metrics.create_children(backends);
        Ok(metrics)
    }

    fn create_children(&self, backends: &[Arc<Backend>]) {
        for backend in backends {
            self.backend_failures.with_label_values(&[&backend.name]);
        }
        for reason in ["max_connections", "rate_limit"] {
            self.rejected.with_label_values(&[reason]);
        }
        for kind in ["aborted", "exhausted"] {
            self.accept_errors.with_label_values(&[kind]);
        }
        for kind in ["delay", "disconnect"] {
            self.faults.with_label_values(&[kind]);
        }
        for result in [
            "tls_sni",
            "tls_no_sni",
            "not_tls",
            "sslv2",
            "malformed",
            "too_large",
            "timeout",
            "eof",
        ] {
            self.peek_results.with_label_values(&[result]);
        }
        for cause in Cause::ALL {
            self.closed.with_label_values(&[cause]);
        }
    }

    /// The page. What a backend knows of itself is read now, not copied at each
    /// change, and so cannot disagree with it.
    pub fn render(&self, backends: &[Arc<Backend>]) -> prometheus::Result<String> {
        for backend in backends {
            let labels = &[backend.name.as_str()];
            let idle = i64::try_from(backend.pool.len()).unwrap_or(i64::MAX);
            self.backend_up
                .with_label_values(labels)
                .set(backend.is_up().into());
            self.pool_idle.with_label_values(labels).set(idle);
        }

        let mut families = self.registry.gather();
        families.extend(log_lines_lost()?);
        TextEncoder::new().encode_to_string(&families)
    }
}

/// The log counts for itself, from before there are metrics. A counter cannot be set,
/// so each page gets a new one.
fn log_lines_lost() -> prometheus::Result<Vec<MetricFamily>> {
    let lost = IntCounter::new(
        "tcpproxy_log_lines_lost_total",
        "Lines of the log that came too fast or could not be written",
    )?;
    lost.inc_by(log::lost());
    Ok(lost.collect())
}

/// From a connection that waited in the pool to the default budget and beyond.
const CONNECT_SECONDS: [f64; 8] = [0.0001, 0.0005, 0.001, 0.005, 0.02, 0.1, 0.5, 2.0];

/// From one request to a connection that is kept all day.
const SESSION_SECONDS: [f64; 8] = [0.001, 0.01, 0.1, 1.0, 10.0, 60.0, 600.0, 3600.0];
