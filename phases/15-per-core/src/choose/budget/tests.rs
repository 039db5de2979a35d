use super::*;

/// What each attempt gets, in milliseconds, if none answers. Of three seconds, with
/// three attempts at most.
fn parts(backends: u32) -> Vec<u128> {
    let settings = BudgetSettings {
        timeout: Duration::from_secs(3),
        attempts: 3,
    };
    let mut now = Instant::now();
    let mut budget = Budget::new(&settings, now);

    let attempts = (0..=backends).rev().map_while(|untried| {
        let part = budget.spend(now, untried)?;
        now += part;
        Some(part.as_millis())
    });
    attempts.collect()
}

#[test]
fn attempts_share_the_time_alike() {
    assert_eq!(parts(5), [1000, 1000, 1000]);
    assert_eq!(parts(3), [1000, 1000, 1000]);
}

#[test]
fn only_backends_that_can_be_tried_get_a_share() {
    assert_eq!(parts(2), [1500, 1500]);
    assert_eq!(parts(1), [3000]);
    assert_eq!(parts(0), []);
}

#[test]
fn what_a_quick_refusal_leaves_goes_to_the_others() {
    let settings = BudgetSettings {
        timeout: Duration::from_secs(3),
        attempts: 3,
    };
    let now = Instant::now();
    let mut budget = Budget::new(&settings, now);
    assert_eq!(budget.spend(now, 3), Some(Duration::from_secs(1)));
    assert_eq!(budget.spend(now, 2), Some(Duration::from_millis(1500)));
}
