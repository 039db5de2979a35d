//! The metrics page of the whole program: what the workers have counted, added up.

use std::sync::Arc;

use prometheus::core::Collector;
use prometheus::proto::{Histogram, Metric, MetricFamily, MetricType};
use prometheus::{IntCounter, TextEncoder};

use crate::account::pools::pool_events;
use crate::log;
use crate::proxy::Proxy;

/// The page of `control`, with what the workers have counted added to it.
pub fn page(control: &Proxy, workers: &[Arc<Proxy>]) -> prometheus::Result<String> {
    for (n, worker) in (1..).zip(workers) {
        let (labels, active) = (&[n.to_string()], worker.metrics.active.get());
        let gauge = &control.metrics.worker_active;
        gauge.with_label_values(labels).set(active);
    }
    // What a backend knows of itself is read now, not copied at each change, and so
    // cannot disagree with it.
    for backend in &control.backends {
        let (metrics, labels) = (&control.metrics, &[&backend.name]);
        let idle = i64::try_from(backend.pool.len()).unwrap_or(i64::MAX);
        metrics.pool_idle.with_label_values(labels).set(idle);
        let up = backend.is_up().into();
        metrics.backend_up.with_label_values(labels).set(up);
    }

    let mut sum = control.metrics.gather();
    for worker in workers {
        add(&mut sum, &worker.metrics.gather());
    }
    sum.extend(pool_events(&control.backends)?);
    sum.extend(log_lines_lost()?);
    TextEncoder::new().encode_to_string(&sum)
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

/// Adds `others` to `sum`, which has every family that they have.
///
/// A family that both have has the same series in both, because all are created at the
/// start, and in the same order, because a registry sorts them.
fn add(sum: &mut [MetricFamily], others: &[MetricFamily]) {
    for other in others {
        let family = sum.iter_mut().find(|family| family.name() == other.name());
        let Some(family) = family else { continue };

        let kind = family.get_field_type();
        for (metric, other) in family.mut_metric().iter_mut().zip(other.get_metric()) {
            debug_assert_eq!(metric.get_label(), other.get_label());
            add_metric(kind, metric, other);
        }
    }
}

fn add_metric(kind: MetricType, metric: &mut Metric, other: &Metric) {
    match kind {
        MetricType::COUNTER => {
            let mut counter = metric.get_counter().clone();
            counter.set_value(counter.get_value() + other.get_counter().get_value());
            metric.set_counter(counter);
        }
        MetricType::GAUGE => {
            let mut gauge = metric.get_gauge().clone();
            gauge.set_value(gauge.get_value() + other.get_gauge().get_value());
            metric.set_gauge(gauge);
        }
        MetricType::HISTOGRAM => {
            let sum = add_histograms(metric.get_histogram(), other.get_histogram());
            metric.set_histogram(sum);
        }
        // The program has none of these.
        MetricType::SUMMARY | MetricType::UNTYPED => {}
    }
}

fn add_histograms(one: &Histogram, other: &Histogram) -> Histogram {
    let mut sum = one.clone();
    sum.set_sample_count(one.get_sample_count() + other.get_sample_count());
    sum.set_sample_sum(one.get_sample_sum() + other.get_sample_sum());

    let mut buckets = one.get_bucket().to_vec();
    for (bucket, other) in buckets.iter_mut().zip(other.get_bucket()) {
        bucket.set_cumulative_count(bucket.cumulative_count() + other.cumulative_count());
    }
    sum.set_bucket(buckets);
    sum
}

#[cfg(test)]
mod tests;
