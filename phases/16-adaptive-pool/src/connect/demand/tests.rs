use super::*;

const MEMORY: Duration = Duration::from_secs(10);

fn demand(size: &str) -> (Demand, Instant) {
    let now = Instant::now();
    (Demand::new(size.parse().unwrap(), MEMORY, now), now)
}

/// A burst that the pool then replaces.
fn burst(demand: &mut Demand, size: usize, now: Instant) {
    for _ in 0..size {
        demand.taken(now);
    }
    for _ in 0..size {
        demand.replaced();
    }
}

#[test]
fn at_rest_one_connection_waits() {
    let (demand, now) = demand("auto");
    assert_eq!(demand.target(now), 1);
    assert_eq!(demand.target(now + 100 * MEMORY), 1);
}

#[test]
fn clients_who_come_one_by_one_need_one() {
    let (mut demand, now) = demand("auto");
    for n in 0..100 {
        burst(&mut demand, 1, now + n * Duration::from_millis(1));
    }
    assert_eq!(demand.target(now), 1);
}

#[test]
fn clients_who_come_faster_than_connections_need_more() {
    let (mut demand, now) = demand("auto");
    demand.taken(now);
    demand.taken(now);
    assert_eq!(demand.target(now), 2);
    demand.replaced();
    demand.taken(now);
    assert_eq!(demand.target(now), 2);
    demand.taken(now);
    assert_eq!(demand.target(now), 3);
}

#[test]
fn a_burst_is_forgotten_evenly_and_wholly() {
    let (mut demand, now) = demand("auto");
    burst(&mut demand, 20, now);

    for (tenths, target) in [(0, 20), (1, 18), (5, 10), (9, 2), (10, 1), (20, 1)] {
        assert_eq!(
            demand.target(now + MEMORY * tenths / 10),
            target,
            "{tenths}"
        );
    }
    // A part of a connection is a whole one.
    assert_eq!(demand.target(now + MEMORY / 1000), 20);
}

#[test]
fn a_burst_that_comes_again_is_remembered_anew() {
    let (mut demand, now) = demand("auto");
    burst(&mut demand, 20, now);
    burst(&mut demand, 9, now + MEMORY / 2);
    assert_eq!(demand.target(now + MEMORY / 2), 10);
    burst(&mut demand, 10, now + MEMORY / 2);
    assert_eq!(demand.target(now + MEMORY), 5);
}

#[test]
fn there_is_a_ceiling() {
    let (mut demand, now) = demand("auto");
    burst(&mut demand, 1000, now);
    assert_eq!(demand.target(now), 32);

    // What lies above it is not owed either: the next client is not the 1001st.
    let later = now + MEMORY;
    demand.taken(later);
    assert_eq!(demand.target(later), 1);
}

#[test]
fn what_was_not_replaced_in_time_is_not_owed_for_ever() {
    let (mut demand, now) = demand("auto");
    for _ in 0..10 {
        demand.taken(now);
    }
    let later = now + MEMORY;
    demand.settled();
    demand.taken(later);
    assert_eq!(demand.target(later), 1);
}

#[test]
fn a_number_is_kept_whatever_comes() {
    for size in [0, 4, 1000] {
        let (mut demand, now) = demand(&size.to_string());
        assert_eq!(demand.target(now), size);
        burst(&mut demand, 50, now);
        assert_eq!(demand.target(now), size);
    }
}

#[test]
fn an_error_names_the_mend() {
    for text in ["", "-1", "1.5", "all", "1025", "18446744073709551615"] {
        assert_eq!(
            text.parse::<PoolSize>(),
            Err("write auto, or a number of connections, 0 for none and at most 1024".to_owned())
        );
    }
}
