//! The simulation that led to the rule in `demand.rs`: clients who come at random and
//! in bursts, a pool that opens one connection at a time, and four ways to say how
//! many should wait. It has no clock and no socket, and its dice have a seed.
//!
//! `WRITE_FIGURE=1 cargo test -p phase-16 --test sizing` draws the book's figure anew.

use std::time::Duration;

use crate::load::{Load, at_once, at_random, together};
use crate::simulate::{Rule, oracle, simulate};

mod load;
mod plot;
mod simulate;

/// What a connection takes where the backend is some way off.
const FAR: Duration = Duration::from_millis(10);

/// And where it is near.
const NEAR: Duration = Duration::from_micros(200);

#[test]
fn at_random_a_few_are_enough_and_averages_know_it() {
    // On average half a connection is being replaced.
    let load = at_random(50.0, 0..60);

    let one = simulate(&load, FAR, Rule::fixed(1));
    let fixed = simulate(&load, FAR, Rule::fixed(4));
    let averages = simulate(&load, FAR, Rule::averages());
    let counted = simulate(&load, FAR, Rule::counted());

    assert!((30.0..37.0).contains(&one.misses_percent()), "{one}");
    assert!(fixed.misses_percent() < 5.0, "{fixed}");
    assert!(averages.misses_percent() < 5.0, "{averages}");
    assert!(counted.misses_percent() < 1.0, "{counted}");
}

#[test]
fn a_burst_is_what_averages_do_not_see() {
    // Ten clients per second, as averages have it.
    let load = at_once(20, 2, 2..60);

    let fixed = simulate(&load, FAR, Rule::fixed(4));
    let averages = simulate(&load, FAR, Rule::averages());
    let counted = simulate(&load, FAR, Rule::counted());

    assert!(fixed.misses_percent() > 75.0, "{fixed}");
    assert!(averages.misses_percent() > 75.0, "{averages}");
    // All of the first burst but one, and nobody after it.
    assert_eq!(counted.misses.len(), 19, "{counted}");
}

#[test]
fn a_near_backend_makes_no_difference_to_a_burst() {
    let load = at_once(20, 2, 2..60);
    assert!(simulate(&load, NEAR, Rule::averages()).misses_percent() > 75.0);
    assert_eq!(simulate(&load, NEAR, Rule::counted()).misses.len(), 19);
}

#[test]
fn a_quiet_night_keeps_one() {
    let load = at_random(1.0, 0..600);
    let fixed = simulate(&load, FAR, Rule::fixed(4));
    let counted = simulate(&load, FAR, Rule::counted());

    assert!(fixed.mean_waiting() > 3.9, "{fixed}");
    assert!(counted.mean_waiting() < 1.5, "{counted}");
    assert!(counted.misses_percent() < 2.0, "{counted}");
}

#[test]
fn nothing_is_left_of_a_burst_after_its_time() {
    let load = together(&[at_once(30, 600, 4..60), at_once(1, 30, 30..60)]);
    let counted = simulate(&load, FAR, Rule::counted());
    assert_eq!(counted.waiting_at(Duration::from_secs(5)), 30, "{counted}");
    assert_eq!(counted.waiting_at(Duration::from_secs(21)), 1, "{counted}");
}

#[test]
fn more_than_one_at_a_time_could_open_is_not_to_be_had() {
    // A connection is wanted each 5 ms, and one is there each 10 ms.
    let load = at_random(200.0, 0..30);
    let counted = simulate(&load, FAR, Rule::counted());
    let percent = counted.misses_percent();
    assert!((45.0..55.0).contains(&percent), "{counted}");
    assert!(counted.mean_waiting() < 2.0, "{counted}");
}

/// Nobody can do better under the same condition: each connection comes as late as it
/// may for all clients to find one.
#[test]
fn an_oracle_needs_fewer() {
    let load = day();
    let (counted, oracle) = (simulate(&load, FAR, Rule::counted()), oracle(&load, FAR));
    assert_eq!(oracle.misses.len(), 0, "{oracle}");
    assert!(
        oracle.mean_waiting() < counted.mean_waiting() / 4.0,
        "{oracle} {counted}"
    );
}

#[test]
fn the_figure_shows_what_the_simulation_says() {
    let load = day();
    let (fixed, counted) = (
        simulate(&load, FAR, Rule::fixed(4)),
        simulate(&load, FAR, Rule::counted()),
    );
    // What the book says of it.
    assert!(
        counted.misses.len() * 3 < fixed.misses.len(),
        "{counted} {fixed}"
    );

    plot::compare_or_write(&plot::draw(&load, &fixed, &counted, &oracle(&load, FAR)));
}

/// A quiet time, a busy one, bursts, and quiet again.
fn day() -> Load {
    together(&[
        at_random(1.0, 0..20),
        at_random(60.0, 20..40),
        at_random(1.0, 40..60),
        at_once(24, 3, 42..60),
        at_random(1.0, 60..80),
    ])
}
