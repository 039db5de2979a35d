use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::*;

#[tokio::test]
async fn sessions_that_end_are_waited_for() {
    let draining = IntGauge::new("draining", "It leaves").unwrap();
    let ended = Arc::new(AtomicUsize::new(0));
    let mut sessions = JoinSet::new();
    for _ in 0..10 {
        let ended = Arc::clone(&ended);
        sessions.spawn(async move {
            tokio::task::yield_now().await;
            ended.fetch_add(1, Ordering::Relaxed);
        });
    }

    drain(sessions, Duration::from_mins(10), &draining).await;
    assert_eq!(ended.load(Ordering::Relaxed), 10);
    assert_eq!(draining.get(), 1);
}

#[tokio::test]
async fn a_session_that_does_not_end_is_cut_and_gives_back_what_it_held() {
    let draining = IntGauge::new("draining", "It leaves").unwrap();
    let held = Arc::new(());
    let mut sessions = JoinSet::new();
    let session = Arc::clone(&held);
    sessions.spawn(async move {
        pending::<()>().await;
        drop(session);
    });

    let start = Instant::now();
    drain(sessions, Duration::from_millis(50), &draining).await;
    assert!(start.elapsed().as_millis() >= 50);
    assert_eq!(Arc::strong_count(&held), 1);
}
