//! What the benches with real sockets share.

use std::sync::Arc;

use clap::Parser;
use phase_12::config::Config;
use phase_12::proxy::Proxy;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

/// One thread for client, proxy and backend: a figure is the work of all three, and
/// does not depend on which other core happens to be free.
pub fn one_thread() -> Runtime {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

/// The context of a proxy with these flags.
pub async fn proxy(flags: &[&str]) -> Arc<Proxy> {
    let config = Config::parse_from([&["proxy"], flags].concat());
    Arc::new(
        Proxy::new(config)
            .await
            .expect("the backends are addresses"),
    )
}

/// A listener on a free port.
pub async fn listen() -> TcpListener {
    TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port is free")
}

/// The two ends of a new connection to `listener`, which has no other client.
pub async fn join(listener: &TcpListener) -> (TcpStream, TcpStream) {
    let address = listener
        .local_addr()
        .expect("a bound socket has an address");
    let near = TcpStream::connect(address).await.expect("it listens");
    let (far, _) = listener.accept().await.expect("a client waits");

    // As the proxy does it on both sides.
    for stream in [&near, &far] {
        stream.set_nodelay(true).expect("the socket is alive");
    }
    (near, far)
}
