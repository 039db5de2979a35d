//! What the pools have counted, as metrics.

use std::sync::Arc;

use prometheus::{
    Registry, proto::MetricFamily, register_int_counter_vec_with_registry as counters,
};

use crate::backend::Backend;

/// The pools count for themselves, in a step with what they do. A counter cannot be set,
/// so each page gets new ones.
pub fn pool_events(backends: &[Arc<Backend>]) -> prometheus::Result<Vec<MetricFamily>> {
    let r = &Registry::new();
    let counters = counters!(
        "tcpproxy_pool_events_total",
        "Clients that found a connection (hit) or none (miss), and connections that ended (stale) or got too old (expired)",
        &["backend", "event"],
        r
    )?;

    for backend in backends {
        let events = backend.pool.events();
        for (event, count) in [
            ("hit", events.hit),
            ("miss", events.miss),
            ("stale", events.stale),
            ("expired", events.expired),
        ] {
            let labels = [backend.name.as_str(), event];
            counters.with_label_values(&labels).inc_by(count);
        }
    }
    Ok(r.gather())
}
