use super::*;

const FALL: u32 = 3;

const PATIENCE: Duration = Duration::from_millis(500);

/// Fails until ejected; returns how often that was, and for how long.
fn fail(ejection: &mut Ejection, now: Instant) -> (u32, Duration) {
    (1..=100)
        .find_map(|n| Some((n, ejection.failure(now, FALL)?)))
        .expect("ejected at last")
}

#[test]
fn only_failures_in_a_row_eject() {
    let now = Instant::now();
    let mut ejection = Ejection::default();
    for _ in 0..10 {
        assert_eq!(ejection.failure(now, FALL), None);
        assert_eq!(ejection.failure(now, FALL), None);
        ejection.success();
    }
    assert!(!ejection.is_active());
    assert_eq!(fail(&mut ejection, now).0, 3);
    assert!(ejection.is_active());
}

#[test]
fn after_the_pause_one_failure_ejects_for_twice_as_long_up_to_a_minute() {
    let mut now = Instant::now();
    let mut ejection = Ejection::default();
    let mut seconds = vec![];
    for round in 0..9 {
        let (failures, pause) = fail(&mut ejection, now);
        assert_eq!(failures, if round == 0 { 3 } else { 1 });
        seconds.push(pause.as_secs());

        now += pause - Duration::from_millis(1);
        assert!(!ejection.may_try(now, PATIENCE));
        now += Duration::from_millis(1);
        assert!(ejection.may_try(now, PATIENCE));
        assert!(ejection.is_active());
    }
    assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
}

#[test]
fn one_tries_and_the_next_one_when_nothing_was_heard_of_that() {
    let now = Instant::now();
    let mut ejection = Ejection::default();
    let (_, pause) = fail(&mut ejection, now);

    let now = now + pause;
    assert!(ejection.may_try(now, PATIENCE));
    assert!(!ejection.may_try(now, PATIENCE));
    assert!(ejection.is_active());
    assert!(ejection.may_try(now + PATIENCE, PATIENCE));
}

#[test]
fn failures_during_the_pause_do_not_lengthen_it() {
    let now = Instant::now();
    let mut ejection = Ejection::default();
    let (_, pause) = fail(&mut ejection, now);

    assert_eq!(ejection.failure(now, FALL), None);
    assert!(ejection.may_try(now + pause, PATIENCE));
}

#[test]
fn a_success_forgets_all() {
    let now = Instant::now();
    let mut ejection = Ejection::default();
    fail(&mut ejection, now);

    ejection.success();
    assert!(!ejection.is_active());
    assert_eq!(fail(&mut ejection, now), (3, FIRST_PAUSE));
}
