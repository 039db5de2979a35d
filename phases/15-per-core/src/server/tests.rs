//! The article that this phase retells says that the branch needs the guard
//! `if !tasks.is_empty()`, or the loop would spin while there is no task. These
//! tests count how often an idle loop turns.

use std::fs::File;
use std::future::pending;
use std::os::fd::OwnedFd;
use std::time::Duration;

use clap::Parser;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::*;
use crate::config::Config;

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

/// The runtime cannot wait for `/dev/null`: the same as when the kernel has no room for
/// one socket more.
#[tokio::test]
async fn who_is_lost_between_two_workers_is_counted() {
    let config = Config::parse_from(["proxy", "--backend", "127.0.0.1:1"]);
    let proxy = Arc::new(Proxy::new(config).await.unwrap());
    let (accepting, _) = mpsc::channel(1);
    let loads = [Arc::default(), Arc::default()];
    let mut team = Team::new(&loads, accepting);
    let ((first, _own), (_, mut inbox)) = (team.next().unwrap(), team.next().unwrap());

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut seats = Vec::new();
    for _ in 0..2 {
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await;
        let (client, peer) = listener.accept().await.unwrap();
        seats.push(first.place(client, peer, Detect::Off).unwrap());
    }

    let mut handover = inbox.recv().await.unwrap();
    handover.client = OwnedFd::from(File::open("/dev/null").unwrap()).into();
    handover.client.set_nonblocking(true).unwrap();
    let (sender, lost) = mpsc::unbounded_channel();
    sender.send(handover).unwrap();
    drop(sender);
    assert!(receive(lost, Arc::clone(&proxy)).await.is_empty());

    assert_eq!(proxy.metrics.closed.with_label_values(&["PA"]).get(), 1);
    assert_eq!(proxy.metrics.active.get(), 0);
}
