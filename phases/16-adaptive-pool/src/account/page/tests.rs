use prometheus::{
    Registry, register_histogram_with_registry as histogram,
    register_int_counter_vec_with_registry as counters, register_int_gauge_with_registry as gauge,
};

use super::*;

/// Families with a counter of two series, a histogram and, if wanted, a gauge.
fn counted(c: u64, e: u64, seconds: &[f64], open: Option<i64>) -> Vec<MetricFamily> {
    let r = &Registry::new();
    let words = counters!("a_total", "Words, then 1", &["b"], r).unwrap();
    words.with_label_values(&["e"]).inc_by(e);
    words.with_label_values(&["c d"]).inc_by(c);
    let times = histogram!("f", "Times", vec![0.5], r).unwrap();
    for seconds in seconds {
        times.observe(*seconds);
    }
    if let Some(open) = open {
        gauge!("g", "Open", r).unwrap().set(open);
    }
    r.gather()
}

fn text(families: &[MetricFamily]) -> String {
    let text = TextEncoder::new().encode_to_string(families).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn values_add_up_series_by_series() {
    let mut sum = counted(1, 2, &[0.25, 0.5, 2.0], Some(7));
    add(&mut sum, &counted(0, 40, &[0.125], Some(-2)));
    add(&mut sum, &counted(5, 0, &[4.0], None));

    assert_eq!(
        text(&sum),
        "a_total{b=\"c d\"} 6\n\
         a_total{b=\"e\"} 42\n\
         f_bucket{le=\"0.5\"} 3\n\
         f_bucket{le=\"+Inf\"} 5\n\
         f_sum 6.875\n\
         f_count 5\n\
         g 5"
    );
}

#[test]
fn a_page_alone_stays_as_it_is() {
    let mut sum = counted(1, 2, &[0.25], Some(7));
    add(&mut sum, &[]);
    assert_eq!(text(&sum), text(&counted(1, 2, &[0.25], Some(7))));
}
