use tokio::net::TcpListener;

use super::*;
use crate::backend::address::BackendAddress;

#[tokio::test]
async fn the_pool_is_filled_up_to_its_size_and_again_after_each_use() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = BackendAddress::from(listener.local_addr().unwrap());
    let backends = [Arc::new(Backend::resolve(&address).await.unwrap())];
    start(&PoolSettings { size: 2 }, Duration::MAX, &backends);

    let mut accepted = vec![];
    for _ in 0..2 {
        accepted.push(listener.accept().await.unwrap());
    }
    let pool = &backends[0].pool;
    while pool.len() < 2 {
        tokio::task::yield_now().await;
    }
    // The third is only dialled when one of the two has been taken.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(pool.len(), 2);
    let taken = pool.take().unwrap();
    assert!(SockRef::from(&taken).keepalive().unwrap());
    assert_eq!(SockRef::from(&taken).tcp_keepalive_time().unwrap(), QUIET);
    accepted.push(listener.accept().await.unwrap());
}
