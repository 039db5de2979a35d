//! Three small backends: something to proxy to.
//!
//! Every phase forwards to somebody, and the reader wants to see to whom and for whom. A backend
//! therefore says its name and the client it saw to anyone who asks in HTTP, and sends back the
//! bytes of everyone else.

mod connection;
mod http;
mod proxy;
mod socket;

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use tokio::{net::TcpListener, time};

/// Starts `backend 1` to `backend COUNT` on free ports of 127.0.0.1 and returns their addresses.
///
/// They are tasks of the current runtime and live as long as it does: nothing stops them earlier,
/// and nothing needs to, since a backend without clients only waits.
pub async fn start(count: usize) -> io::Result<Vec<SocketAddr>> {
    let mut addresses = Vec::with_capacity(count);
    for number in 1..=count {
        addresses.push(listen((Ipv4Addr::LOCALHOST, 0).into(), number).await?);
    }
    Ok(addresses)
}

/// Starts `backend NUMBER` on `address`, in the same way, and returns where it listens: the same
/// address, with the port that was found if port 0 was asked for.
pub async fn listen(address: SocketAddr, number: usize) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address).await?;
    let address = listener.local_addr()?;
    let greeting = format!("hello from backend {number} ({address})");
    tokio::spawn(accept(listener, greeting.into()));
    Ok(address)
}

/// Accepts for ever. A backend that ended because one client left early, or because descriptors
/// ran out for a moment, would be the least reliable part of every experiment.
async fn accept(listener: TcpListener, greeting: Arc<str>) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                let greeting = Arc::clone(&greeting);
                // What goes wrong with one client ends that client and concerns nobody else.
                tokio::spawn(async move { connection::serve(stream, peer, &greeting).await });
            }
            Err(error) if concerns_one_client(&error) => {}
            Err(_) => time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

/// Linux reports through `accept` what happened to a client while it waited in the queue. That
/// client is gone, and the next one should not wait for it.
fn concerns_one_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
    )
}

/// The wait after any other failed accept, most likely for want of file descriptors (EMFILE). The
/// client stays in the queue, so without a pause the same error would come back at once and keep
/// a core busy; a longer one would make clients wait after the shortage has passed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
