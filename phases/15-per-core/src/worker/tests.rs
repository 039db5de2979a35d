use std::net::{SocketAddr, TcpStream};

use clap::Parser;

use super::*;
use crate::config::Config;

async fn start(count: usize) -> (Workers, Orders, Vec<SocketAddr>) {
    let config = Config::parse_from(["proxy", "--listen=127.0.0.1:0", "--listen=127.0.0.1:0"]);
    let places = [config.listen[0], config.listen[1]];
    let proxy = Proxy::new(config).await.unwrap();
    let proxies: Vec<_> = (0..count)
        .map(|_| Arc::new(proxy.of_worker().unwrap()))
        .collect();

    let mut listeners: Vec<Vec<Listener>> = proxies.iter().map(|_| vec![]).collect();
    for place in places {
        for (own, listener) in listeners.iter_mut().zip(place.open(count).unwrap()) {
            own.push(listener);
        }
    }
    let addresses = listeners[0]
        .iter()
        .map(|l| l.socket.local_addr().unwrap())
        .collect();

    let orders = Orders::default();
    let workers = Workers::start(&proxies, listeners, &orders).unwrap();
    (workers, orders, addresses)
}

#[tokio::test]
async fn workers_stop_together_and_then_nobody_listens() {
    let (mut workers, orders, addresses) = start(3).await;
    orders.stop.cancel();
    workers.stopped().await.unwrap();
    for address in addresses {
        assert!(TcpStream::connect(address).is_err());
    }
    workers.ended().await.unwrap();
    assert_eq!(workers.clients()(), 0);
}

#[tokio::test]
async fn a_worker_that_dies_is_an_error() {
    let work = async { panic!("on purpose") };
    let end = start_thread("worker-7".into(), work).unwrap();
    assert_eq!(end.await.unwrap_err().to_string(), "worker-7 has died");
}

#[tokio::test]
async fn a_dead_worker_is_noticed_while_the_others_serve() {
    let (mut workers, _orders, _) = start(1).await;
    let work = async { panic!("on purpose") };
    workers
        .running
        .spawn(start_thread("worker-2".into(), work).unwrap());
    assert!(workers.stopped().await.is_err());
}

#[tokio::test]
async fn a_worker_that_cannot_serve_says_why() {
    let work = async { Err(io::Error::other("on purpose")) };
    let end = start_thread("worker-7".into(), work).unwrap();
    assert_eq!(
        format!("{:#}", end.await.unwrap_err()),
        "worker-7: on purpose"
    );
}
