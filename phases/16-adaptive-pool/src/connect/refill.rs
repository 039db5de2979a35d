//! Keeps pools as full as they want to be: one task for each backend.

use std::future::{pending, poll_fn};
use std::sync::Arc;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, sleep_until};
use tracing::{debug, info};

use crate::backend::Backend;
use crate::connect::dial;
use crate::connect::pool::{Next, Pool, PoolSettings};

/// Opens the pools, and keeps each of them as full as its load wants it.
///
/// A backend has as long to answer here as it has for a client.
pub fn start(settings: &PoolSettings, patience: Duration, backends: &[Arc<Backend>]) {
    if settings.size.most == 0 {
        return;
    }

    for backend in backends.iter().filter(|backend| backend.pooled) {
        backend.pool.open(settings.size, settings.max_idle);
        tokio::spawn(refill(settings.max_idle, patience, Arc::clone(backend)));
    }
}

/// Closes the pools: who comes from now on will not be served.
pub fn stop(backends: &[Arc<Backend>]) {
    for backend in backends {
        backend.pool.close();
    }
}

/// Opens connections to `backend` while its pool wants any. Ends with the pool.
///
/// One at a time: when a burst has emptied the pool, the backend has those clients to
/// serve, and must not get as many handshakes again at the same moment.
async fn refill(max_idle: Duration, patience: Duration, backend: Arc<Backend>) {
    tokio::select! {
        // In this order: what one has put into the pool, the other begins to watch.
        biased;
        () = fill(max_idle, patience, &backend) => {}
        () = watch(&backend.pool) => {}
    }

    if backend.pool.speaks_first() {
        info!("backend {backend} speaks first, so no connection waits there any more");
    }
}

async fn fill(max_idle: Duration, patience: Duration, backend: &Backend) {
    let pool = &backend.pool;
    let mut taken_out = backend.taken_out();
    let mut pause = FIRST_PAUSE;

    loop {
        match pool.next(Instant::now()) {
            Next::End => return,

            _ if !backend.is_usable() => {
                // Nobody says when an ejection is over, so it is asked for.
                pool.clear();
                sleep(FIRST_PAUSE).await;
            }

            Next::Dial => match dial(backend, patience).await {
                Ok(stream) => {
                    keep_alive(&stream);
                    pool.put(stream, Instant::now() + max_idle);
                }

                Err(error) => {
                    debug!("cannot fill the pool of backend {backend}: {error}");
                    tokio::select! {
                        () = sleep(pause) => {}
                        _ = taken_out.changed() => {}
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            },

            Next::Wait(until) => {
                let too_old = async {
                    match until {
                        Some(until) => sleep_until(until).await,
                        None => pending().await,
                    }
                };
                let ended = tokio::select! {
                    () = pool.changed.notified() => false,
                    () = too_old => false,
                    _ = taken_out.changed() => false,
                    () = pool.ended.notified() => true,
                };

                if !ended {
                    pause = FIRST_PAUSE;
                    continue;
                }
                // Where connections do not last, only a client is worth another at once.
                tokio::select! {
                    () = pool.changed.notified() => pause = FIRST_PAUSE,
                    _ = taken_out.changed() => {}
                    () = sleep(pause) => pause = (pause * 2).min(LONGEST_PAUSE),
                }
            }
        }
    }
}

/// Takes out what has ended, also while a dial or a pause keeps [`fill`] waiting.
async fn watch(pool: &Pool) {
    loop {
        poll_fn(|cx| pool.poll_ends(cx)).await;
        pool.ended.notify_one();
    }
}

/// A machine that has lost its power sends no end. The kernel asks whether it is still
/// there, or a client would be the first to find out.
fn keep_alive(stream: &TcpStream) {
    let questions = TcpKeepalive::new()
        .with_time(QUIET)
        .with_interval(Duration::from_secs(1))
        .with_retries(3);

    // Fails only if the socket is already dead.
    let _ = SockRef::from(stream).set_tcp_keepalive(&questions);
}

/// A connection that is refused, or ended as soon as it is there, takes no time:
/// without a pause, its backend would be dialled as fast as the machine can.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// How long a backend that is back may have to do without its pool.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// After so long without a word the first of three questions is sent, one a second.
/// Some packets per minute for each connection that waits.
const QUIET: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
