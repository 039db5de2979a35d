use tokio::io::AsyncWriteExt;
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
    pool.put(stream);
    (listener, backend, pool)
}

#[tokio::test]
async fn a_connection_is_used_once() {
    let (_listener, _backend, pool) = pooled().await;
    assert!(pool.take().is_some());
    assert!(pool.take().is_none());
}

#[tokio::test]
async fn a_closed_or_reset_connection_is_passed_over() {
    for reset in [false, true] {
        let (listener, backend, pool) = pooled().await;
        let second = TcpStream::connect(listener.local_addr().unwrap())
            .await
            .unwrap();
        let second_address = second.local_addr().unwrap();
        pool.put(second);

        if reset {
            backend.set_zero_linger().unwrap();
        }
        drop(backend);

        assert_eq!(pool.take().unwrap().local_addr().unwrap(), second_address);
        assert!(pool.is_empty());
    }
}

#[tokio::test]
async fn what_has_spoken_is_not_handed_out_nor_what_waits_beside_it() {
    for ends in [false, true] {
        let (listener, mut backend, pool) = pooled().await;
        let second = TcpStream::connect(listener.local_addr().unwrap()).await;
        pool.put(second.unwrap());

        backend.write_all(b"220 hi\r\n").await.unwrap();
        if ends {
            backend.shutdown().await.unwrap();
        }

        assert!(!pool.speaks_first());
        assert!(pool.take().is_none());
        assert!(pool.speaks_first());
    }
}
