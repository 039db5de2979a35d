//! Station *connect*, sooner: connections that are opened before a client comes,
//! so that no client waits for a handshake.
//!
//! Each is used once. Giving it to a second client is what HTTP proxies do, who
//! know where an answer ends; a byte pump cannot know, and would hand one client
//! the rest of another's answer.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::iter;
use std::mem::MaybeUninit;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::sleep;
use tracing::debug;

use crate::backend::Backend;
use crate::connect::dial;
use crate::proxy::Proxy;

/// Connections to one backend that wait for a client.
#[derive(Debug, Default)]
pub struct Pool {
    idle: Mutex<VecDeque<TcpStream>>,

    taken: Notify,
}

impl Pool {
    /// Takes out the oldest connection that the backend has not closed meanwhile.
    pub fn take(&self) -> Option<TcpStream> {
        let mut idle = self.idle.lock().expect("no panic while held");
        let stream = iter::from_fn(|| idle.pop_front()).find(is_open);

        self.taken.notify_one();
        stream
    }

    /// How many connections wait.
    pub fn len(&self) -> usize {
        self.idle.lock().expect("no panic while held").len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn put(&self, stream: TcpStream) {
        let mut idle = self.idle.lock().expect("no panic while held");
        idle.push_back(stream);
    }
}

/// Asks the kernel, which knows of an end that the runtime may not have heard of
/// yet. The byte that is looked at stays where it is: it may be the greeting of a
/// backend that speaks first, and belongs to the client.
fn is_open(stream: &TcpStream) -> bool {
    match SockRef::from(stream).peek(&mut [MaybeUninit::uninit()]) {
        Ok(count) => count > 0,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    }
}

/// Keeps the pool of each backend full. Ends with the runtime.
pub fn start(proxy: &Arc<Proxy>) {
    if proxy.config.pool_size == 0 {
        return;
    }

    for backend in &proxy.backends {
        tokio::spawn(refill(Arc::clone(proxy), Arc::clone(backend)));
    }
}

async fn refill(proxy: Arc<Proxy>, backend: Arc<Backend>) {
    let config = &proxy.config;
    let mut pause = FIRST_PAUSE;

    loop {
        if backend.pool.len() >= config.pool_size {
            backend.pool.taken.notified().await;
            continue;
        }

        match dial(&backend, config.connect_timeout).await {
            Ok(stream) => {
                backend.pool.put(stream);
                pause = FIRST_PAUSE;
            }

            Err(error) => {
                debug!("cannot fill the pool of backend {backend}: {error}");
                sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// A refused connection comes back at once: without a pause, a dead backend would
/// be dialled as fast as the machine can.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// How long a backend that is back may have to do without its pool.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests;
