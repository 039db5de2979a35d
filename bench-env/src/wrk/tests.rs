//! What wrk 4.1.0 really printed, against servers that misbehave on purpose.

use std::collections::BTreeMap;

use super::{Load, micros, parse, scaled};

fn errors(load: &Load) -> Vec<(&str, u64)> {
    load.errors
        .iter()
        .map(|(kind, count)| (kind.as_str(), *count))
        .collect()
}

#[test]
fn reads_a_run_without_errors() {
    let load = parse(include_str!("captured/plain.txt")).unwrap();

    assert_eq!(load.requests, 52956);
    assert_eq!(load.requests_per_second, 47924.98);
    assert!((load.seconds - 1.1).abs() < 1e-9);
    assert!((load.bytes - 7.73 * 1024.0 * 1024.0).abs() < 1.0);
    // Not 85.68 and 72.09, which are percentages of "+/- Stdev".
    let latency = [(50, 1620.0), (75, 4900.0), (90, 9310.0), (99, 18780.0)];
    assert_eq!(load.latency, BTreeMap::from(latency));
    assert!(load.errors.is_empty());
}

#[test]
fn reads_microseconds_beside_milliseconds() {
    let load = parse(include_str!("captured/non-2xx.txt")).unwrap();
    assert_eq!((load.latency[&50], load.latency[&90]), (172.0, 1130.0));
    assert_eq!(errors(&load), [("non-2xx", 15301)]);
}

#[test]
fn counts_connections_that_break() {
    let load = parse(include_str!("captured/resets.txt")).unwrap();
    assert_eq!(errors(&load), [("read", 2087)]);
    assert!((load.bytes - 334.57 * 1024.0).abs() < 1.0);
}

#[test]
fn counts_answers_that_came_too_late() {
    let load = parse(include_str!("captured/timeouts.txt")).unwrap();
    assert_eq!(errors(&load), [("timeout", 40)]);
}

#[test]
fn reads_seconds_and_megabytes() {
    let load = parse(include_str!("captured/bulk.txt")).unwrap();
    assert_eq!(
        (load.latency[&50], load.latency[&99]),
        (747_830.0, 2_730_000.0)
    );
    assert_eq!(load.bytes, 746.09 * 1024.0 * 1024.0);
}

#[test]
fn knows_every_unit() {
    for (text, expected) in [
        ("1.5us", 1.5),
        ("2ms", 2e3),
        ("3.25s", 3.25e6),
        ("1.00m", 60e6),
        ("2h", 7.2e9),
    ] {
        assert!((micros(text).unwrap() - expected).abs() < 1e-6, "{text}");
    }
    for (text, expected) in [
        ("7", 7.0),
        ("1.00KB", 1024.0),
        ("2.00MB", 2.0 * 1024.0 * 1024.0),
        ("1.00GB", 1024.0_f64.powi(3)),
    ] {
        assert!(
            (scaled(text, 1024.0).unwrap() - expected).abs() < 1e-6,
            "{text}"
        );
    }
    assert!((scaled("12.34k", 1000.0).unwrap() - 12_340.0).abs() < 1e-6);
    assert!(micros("12").is_err());
    assert!(scaled("3X", 1000.0).is_err());
}

#[test]
fn what_is_no_result_is_an_error() {
    let refused = "unable to connect to 127.0.0.1:18899 Connection refused\n";
    assert!(parse(refused).is_err());

    // Cut anywhere, the output must not panic.
    let whole = include_str!("captured/resets.txt");
    for end in 0..whole.len() {
        let _ = parse(&whole[..end]);
    }
}
