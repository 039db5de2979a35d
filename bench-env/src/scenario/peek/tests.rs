use super::{at_least, at_most};

#[test]
fn without_a_wait_nothing_changes() {
    assert!((at_least(100.0, 40_000.0, 0.0) - 40_000.0).abs() < 1.0);
    assert!((at_most(100.0, 40_000.0, 0.0) - 40_000.0).abs() < 1.0);
}

#[test]
fn a_long_wait_leaves_only_the_wait() {
    // A second for each request: a hundred clients make a hundred requests per second.
    for predicted in [
        at_least(100.0, 40_000.0, 1.0),
        at_most(100.0, 40_000.0, 1.0),
    ] {
        assert!((predicted - 100.0).abs() < 1.0, "{predicted}");
    }
}

#[test]
fn who_waits_leaves_the_machine_to_others() {
    let (least, most) = (
        at_least(100.0, 40_000.0, 0.002),
        at_most(100.0, 40_000.0, 0.002),
    );
    assert!((least - 22_222.0).abs() < 1.0, "{least}");
    assert!(least < most && most <= 40_000.0, "{most}");
}
