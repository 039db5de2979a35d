use super::*;

const FALL: u32 = 3;

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
        ejection.success(now);
    }
    assert!(!ejection.is_active(now));
    assert_eq!(fail(&mut ejection, now).0, 3);
    assert!(ejection.is_active(now));
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
        assert!(ejection.is_active(now + pause - Duration::from_millis(1)));
        now += pause;
        assert!(!ejection.is_active(now));
    }
    assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
}

#[test]
fn a_success_after_the_pause_forgets_and_one_during_it_does_not() {
    let now = Instant::now();
    let mut ejection = Ejection::default();
    let (_, pause) = fail(&mut ejection, now);

    ejection.success(now);
    assert!(ejection.is_active(now));

    ejection.success(now + pause);
    assert_eq!(fail(&mut ejection, now + pause), (3, FIRST_PAUSE));
}
