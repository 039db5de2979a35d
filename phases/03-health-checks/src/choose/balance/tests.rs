use std::thread;

use super::*;

/// Backends named a, b, c …, one for each weight.
fn balancer(balance: Balance, weights: &[u16]) -> Balancer {
    let backends = (0..weights.len())
        .map(|n| {
            let name = char::from(b'a' + u8::try_from(n).unwrap()).to_string();
            Arc::new(Backend::new(name, vec![], weights[n]))
        })
        .collect();
    Balancer::new(balance, backends, Rng::with_seed(7))
}

fn picks(balancer: &Balancer, count: usize) -> String {
    (0..count)
        .map(|_| balancer.pick().unwrap().name.clone())
        .collect()
}

#[test]
fn round_robin_takes_turns() {
    assert_eq!(
        picks(&balancer(Balance::RoundRobin, &[1, 1, 1]), 7),
        "abcabca"
    );
}

#[test]
fn smooth_weights_come_in_the_order_that_nginx_gives() {
    // The sequence for 5, 1, 1 is the example of the nginx commit that introduced
    // the algorithm: { a, a, b, a, c, a, a }.
    let five = balancer(Balance::Weighted, &[5, 1, 1]);
    assert_eq!(picks(&five, 14), "aabacaaaabacaa");
    assert_eq!(picks(&balancer(Balance::Weighted, &[3, 1]), 8), "aabaaaba");
}

#[test]
fn random_gives_each_its_share() {
    // 3,000 draws with p = 1/3: the standard deviation is 25.8, so that a bound of
    // 130 is five of them. The seed is fixed: the test cannot fail by chance.
    let drawn = picks(&balancer(Balance::Random, &[1, 1, 1]), 3000);
    for name in ['a', 'b', 'c'] {
        let share = drawn.chars().filter(|&c| c == name).count();
        assert!(share.abs_diff(1000) < 130, "{name}: {share}");
    }
    assert!(!drawn.starts_with("abcabc"), "this is round robin");
}

#[test]
fn least_connections_takes_the_freest_and_equals_in_turn() {
    let balancer = balancer(Balance::LeastConnections, &[1, 1, 1]);
    assert_eq!(picks(&balancer, 6), "abcabc");

    let a = balancer.pick().unwrap();
    let b = balancer.pick().unwrap();
    assert_eq!((a.name.as_str(), b.name.as_str()), ("a", "b"));
    assert_eq!(picks(&balancer, 3), "ccc");

    drop(a);
    assert!(!picks(&balancer, 4).contains('b'));
    drop(b);
    assert!(picks(&balancer, 3).contains('b'));
}

#[test]
fn the_cost_of_a_pick_is_counted_before_the_next_one() {
    let balancer = balancer(Balance::LeastConnections, &[1, 1]);
    let held: Vec<_> = (0..10).map(|_| balancer.pick().unwrap()).collect();
    assert!(
        balancer
            .backends
            .iter()
            .all(|backend| backend.in_flight() == 5)
    );
    drop(held);
    assert!(
        balancer
            .backends
            .iter()
            .all(|backend| backend.in_flight() == 0)
    );
}

const ALL: [Balance; 4] = [
    Balance::RoundRobin,
    Balance::Random,
    Balance::Weighted,
    Balance::LeastConnections,
];

#[test]
fn a_dead_backend_is_passed_over_and_the_others_share_alike() {
    for balance in ALL {
        let balancer = balancer(balance, &[1, 1, 1]);
        balancer.backends[0].set_up(false);

        let picks = picks(&balancer, 1000);
        assert!(!picks.contains('a'), "{balance:?}");
        let b = picks.matches('b').count();
        // For the random one: five standard deviations of 15.8.
        assert!(b.abs_diff(500) < 80, "{balance:?}: {b}");
    }
}

#[test]
fn when_all_are_down_there_is_nothing_to_choose() {
    for balance in ALL {
        let balancer = balancer(balance, &[1, 1]);
        balancer
            .backends
            .iter()
            .for_each(|backend| backend.set_up(false));
        assert!(balancer.pick().is_none(), "{balance:?}");
    }
}

#[test]
fn whoever_comes_at_the_same_time_finds_the_only_one_that_is_up() {
    for balance in ALL {
        let balancer = balancer(balance, &[1; 5]);
        for dead in &balancer.backends[1..] {
            dead.set_up(false);
        }

        let find = || (0..20_000).all(|_| balancer.pick().is_some());
        let found = thread::scope(|scope| {
            let others = [scope.spawn(find), scope.spawn(find)];
            others.map(|other| other.join().unwrap())
        });
        assert_eq!(found, [true, true], "{balance:?}");
    }
}
