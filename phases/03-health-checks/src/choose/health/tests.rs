use clap::Parser;

use super::*;
use crate::config::Config;

/// The states after each of the answers (`+` alive, `-` not), beginning with up.
fn states(answers: &str) -> String {
    let settings = Config::parse_from(["proxy", "--rise", "2", "--fall", "3"]).health;
    let mut streak = Streak::default();
    let mut up = true;
    answers
        .chars()
        .map(|answer| {
            if streak.contradicts(up, answer == '+', &settings) {
                up = !up;
            }
            if up { 'U' } else { 'd' }
        })
        .collect()
}

#[test]
fn three_failures_in_a_row_are_a_fall() {
    assert_eq!(states("----"), "UUdd");
    assert_eq!(states("--+--+--+"), "UUUUUUUUU");
}

#[test]
fn two_answers_in_a_row_are_a_rise() {
    assert_eq!(states("---++"), "UUddU");
    assert_eq!(states("---+-+-++"), "UUddddddU");
}

#[test]
fn a_recovered_backend_starts_with_a_clean_sheet() {
    assert_eq!(states("---++--+---"), "UUddUUUUUUd");
}

#[test]
fn jitter_stays_within_a_tenth() {
    let second = Duration::from_secs(1);
    for _ in 0..1000 {
        let jittered = jittered(second);
        assert!(jittered >= second * 9 / 10 && jittered < second * 11 / 10);
    }
}
