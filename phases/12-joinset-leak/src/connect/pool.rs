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
use std::sync::Mutex;

use clap::Args;
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// How many connections wait for clients.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connect")]
pub struct PoolSettings {
    /// Connections kept open to each backend for clients to come; 0 for none
    #[arg(id = "pool-size", long, value_name = "N", default_value_t = DEFAULT_POOL_SIZE)]
    pub size: usize,
}

/// Connections to one backend that wait for a client.
#[derive(Debug, Default)]
pub struct Pool {
    idle: Mutex<VecDeque<TcpStream>>,

    /// A client has taken one.
    pub taken: Notify,
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

    /// Lets a connection wait.
    pub fn put(&self, stream: TcpStream) {
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

/// Each costs the backend a connection that does nothing. Too few, and a burst
/// finds none left and waits for handshakes as it would without a pool.
const DEFAULT_POOL_SIZE: usize = 4;

#[cfg(test)]
mod tests;
