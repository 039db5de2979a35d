use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

#[tokio::test]
async fn sessions_that_end_are_waited_for() {
    let ended = Arc::new(AtomicUsize::new(0));
    let mut sessions = JoinSet::new();
    for _ in 0..10 {
        let ended = Arc::clone(&ended);
        sessions.spawn(async move {
            tokio::task::yield_now().await;
            ended.fetch_add(1, Ordering::Relaxed);
        });
    }

    finish(vec![sessions], CancellationToken::new()).await;
    assert_eq!(ended.load(Ordering::Relaxed), 10);
}

#[tokio::test]
async fn a_session_that_does_not_end_is_cut_and_gives_back_what_it_held() {
    let held = Arc::new(());
    let mut sessions = JoinSet::new();
    let session = Arc::clone(&held);
    sessions.spawn(async move {
        pending::<()>().await;
        drop(session);
    });

    let cut = CancellationToken::new();
    let finished = tokio::spawn(finish(vec![sessions], cut.clone()));
    tokio::task::yield_now().await;
    assert!(!finished.is_finished());

    cut.cancel();
    finished.await.unwrap();
    assert_eq!(Arc::strong_count(&held), 1);
}
