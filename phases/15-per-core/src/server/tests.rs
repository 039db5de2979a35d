//! The article that this phase retells says that the branch needs the guard
//! `if !tasks.is_empty()`, or the loop would spin while there is no task. These
//! tests count how often an idle loop turns.

use std::future::pending;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::*;

const IDLE: Duration = Duration::from_millis(100);

#[tokio::test]
async fn a_pattern_that_may_not_match_needs_no_guard() {
    let mut tasks: JoinSet<()> = JoinSet::new();
    let end = Instant::now() + IDLE;
    let mut turns = 0;

    loop {
        turns += 1;
        tokio::select! {
            Some(_) = tasks.join_next() => {}
            () = sleep_until(end) => break,
        }
    }

    assert_eq!(turns, 1);
}

#[tokio::test]
async fn with_the_guard_it_is_the_same() {
    let mut tasks: JoinSet<()> = JoinSet::new();
    let end = Instant::now() + IDLE;
    let mut turns = 0;

    loop {
        turns += 1;
        tokio::select! {
            Some(_) = tasks.join_next(), if !tasks.is_empty() => {}
            () = sleep_until(end) => break,
        }
    }

    assert_eq!(turns, 1);
}

#[tokio::test]
async fn a_pattern_that_always_matches_spins() {
    let mut tasks: JoinSet<()> = JoinSet::new();
    let end = Instant::now() + IDLE;
    let mut turns = 0;

    // The clock has to be read here: this loop never waits, so the runtime gets no
    // turn, and no timer would ever end it.
    while Instant::now() < end {
        turns += 1;
        tokio::select! {
            _ = tasks.join_next() => {}
            () = pending() => {}
        }
    }

    // Hundreds of thousands on a machine of 2026; the bound is far below.
    assert!(turns > 1000, "{turns}");
}

#[tokio::test]
async fn a_panic_is_reported_and_the_set_goes_on() {
    let mut tasks: JoinSet<()> = JoinSet::new();
    tasks.spawn(async { panic!("on purpose") });
    tasks.spawn(async {});

    while let Some(ended) = tasks.join_next().await {
        report_panic(ended);
    }
    assert!(tasks.is_empty());
}
