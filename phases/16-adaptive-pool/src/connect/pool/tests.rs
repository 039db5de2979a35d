use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

/// A listening backend, and the proxy's side of a connection to it in a pool.
async fn pooled() -> (TcpListener, TcpStream, Pool) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap())
        .await
        .unwrap();
    let (backend, _) = listener.accept().await.unwrap();

    let pool = Pool::default();
    pool.open("auto".parse().unwrap(), MAX_IDLE);
    pool.put(stream, Instant::now() + MAX_IDLE);
    (listener, backend, pool)
}

#[tokio::test]
async fn a_connection_is_used_once() {
    let (_listener, _backend, pool) = pooled().await;
    assert!(pool.take().is_some());
    assert!(pool.take().is_none());
    assert_eq!(events(&pool), "hit 1, miss 1, stale 0, expired 0");
}

#[tokio::test]
async fn a_closed_or_reset_connection_is_passed_over() {
    for reset in [false, true] {
        let (listener, backend, pool) = pooled().await;
        let second = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let second_address = second.local_addr().unwrap();
        pool.put(second, Instant::now() + MAX_IDLE);

        if reset {
            backend.set_zero_linger().unwrap();
        }
        drop(backend);

        assert_eq!(pool.take().unwrap().local_addr().unwrap(), second_address);
        assert!(pool.is_empty());
        assert_eq!(events(&pool), "hit 1, miss 0, stale 1, expired 0");
    }
}

#[tokio::test]
async fn what_has_spoken_is_not_handed_out_nor_what_waits_beside_it() {
    for ends in [false, true] {
        let (listener, mut backend, pool) = pooled().await;
        let second = TcpStream::connect(listener.local_addr().unwrap()).await;
        pool.put(second.unwrap(), Instant::now() + Duration::from_secs(100));

        backend.write_all(b"220 hi\r\n").await.unwrap();
        if ends {
            backend.shutdown().await.unwrap();
        }

        assert!(!pool.speaks_first());
        assert!(pool.take().is_none());
        assert!(pool.speaks_first());
    }
}

#[tokio::test]
async fn a_connection_that_is_too_old_is_not_handed_out() {
    let (_listener, mut backend, pool) = pooled().await;
    pool.lock().idle[0].until = Instant::now();

    assert!(pool.take().is_none());
    assert_eq!(events(&pool), "hit 0, miss 1, stale 0, expired 1");
    // Nobody else has it: it was closed.
    assert_eq!(backend.read(&mut [0; 1]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_pool_that_is_closed_keeps_nothing_and_counts_nobody() {
    let (listener, mut backend, pool) = pooled().await;
    pool.close();
    assert_eq!(backend.read(&mut [0; 1]).await.unwrap(), 0);

    // Dialled before the end, and there after it.
    let late = TcpStream::connect(listener.local_addr().unwrap())
        .await
        .unwrap();
    pool.put(late, Instant::now() + MAX_IDLE);
    assert!(pool.take().is_none());
    assert_eq!(events(&pool), "hit 0, miss 0, stale 0, expired 0");
    assert_eq!(pool.next(Instant::now()), Next::End);
}

#[tokio::test]
async fn a_pool_says_what_it_needs() {
    let (_listener, _backend, pool) = pooled().await;
    let now = Instant::now();
    let until = pool.lock().idle[0].until;
    assert_eq!(pool.next(now), Next::Wait(Some(until)));

    let _taken = pool.take();
    assert_eq!(pool.next(now), Next::Dial);

    // Two came while none was replaced: two are wanted.
    let _ = pool.take();
    let (_listener, _backend, other) = pooled().await;
    let stream = other.take().unwrap();
    pool.put(stream, until);
    assert_eq!(pool.next(now), Next::Dial);
}

fn events(pool: &Pool) -> String {
    let Events {
        hit,
        miss,
        stale,
        expired,
    } = pool.events();
    format!("hit {hit}, miss {miss}, stale {stale}, expired {expired}")
}

const MAX_IDLE: Duration = Duration::from_secs(60);
