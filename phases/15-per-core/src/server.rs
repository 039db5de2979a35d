//! The accept loops of one worker, one for each listener: one task for each client.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::accept::Acceptor;
use crate::accept::handover::{Handover, Inbox, Seat, Team};
use crate::accept::listen::{Detect, Listener};
use crate::account::Record;
use crate::error::{Error, report_panic};
use crate::leave::{Orders, finish};
use crate::proxy::Proxy;
use crate::session;

/// Serves clients until it is told to stop, then those that are left.
pub async fn serve(
    listeners: Vec<Listener>,
    proxy: Arc<Proxy>,
    team: Team,
    inbox: Inbox,
    orders: Orders,
) -> io::Result<()> {
    let mut accepting = JoinSet::new();
    for Listener { socket, detect } in listeners {
        let socket = TcpListener::from_std(socket)?;
        let (proxy, team, stop) = (Arc::clone(&proxy), team.clone(), orders.stop.clone());
        accepting.spawn(accept(socket, detect, proxy, team, stop));
    }
    // The others expect handovers for as long as a loop has it.
    drop(team);
    accepting.spawn(receive(inbox, proxy));

    let sessions = accepting.join_all().await;

    finish(sessions, orders.cut).await;
    Ok(())
}

/// Gives each client a session, here or at another worker, and in the end those that
/// have not ended.
async fn accept(
    socket: TcpListener,
    detect: Detect,
    proxy: Arc<Proxy>,
    team: Team,
    stop: CancellationToken,
) -> JoinSet<()> {
    let mut acceptor = Acceptor::new(socket, proxy.metrics.accept_errors.clone());
    let mut sessions = JoinSet::new();

    let begin = |sessions: &mut JoinSet<()>, client, peer| match team.place(client, peer, detect) {
        Ok(Some((client, seat))) => {
            sessions.spawn(serve_one(Arc::clone(&proxy), detect, client, peer, seat));
        }
        Ok(None) => {}
        Err(source) => account_for_lost(&proxy, peer, source),
    };

    loop {
        tokio::select! {
            (client, peer) = acceptor.next() => begin(&mut sessions, client, peer),

            // A set keeps each task that has ended until somebody asks for its result:
            // the price of connections that are long gone. While the set is empty
            // the pattern does not match, and the branch sleeps until the next turn.
            Some(ended) = sessions.join_next() => report_panic(ended),

            () = stop.cancelled() => break,
        }
    }

    // The listener closes here: new clients are refused at once, and may go elsewhere.
    for (client, peer) in acceptor.close() {
        begin(&mut sessions, client, peer);
    }
    sessions
}

/// Gives a session to each client that another worker has accepted.
async fn receive(mut inbox: Inbox, proxy: Arc<Proxy>) -> JoinSet<()> {
    let mut sessions = JoinSet::new();

    loop {
        tokio::select! {
            handover = inbox.recv() => {
                let Some(Handover { client, peer, detect, seat }) = handover else {
                    return sessions;
                };
                match TcpStream::from_std(client) {
                    Ok(client) => {
                        sessions.spawn(serve_one(Arc::clone(&proxy), detect, client, peer, seat));
                    }
                    Err(source) => account_for_lost(&proxy, peer, source),
                }
            }

            Some(ended) = sessions.join_next() => report_panic(ended),
        }
    }
}

fn account_for_lost(proxy: &Arc<Proxy>, peer: SocketAddr, source: io::Error) {
    let record = Record::new(Arc::clone(proxy), peer);
    record.close(Err(Error::HandOver { source }));
}

async fn serve_one(
    proxy: Arc<Proxy>,
    detect: Detect,
    client: TcpStream,
    peer: SocketAddr,
    _seat: Seat,
) {
    session::run(proxy, detect, client, peer).await;
}

#[cfg(test)]
mod tests;
