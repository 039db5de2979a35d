//! Station *connect*, sooner: connections that are opened before a client comes,
//! so that no client waits for a handshake.
//!
//! Each is used once. Giving it to a second client is what HTTP proxies do, who
//! know where an answer ends; a byte pump cannot know, and would hand one client
//! the rest of another's answer.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::mem::MaybeUninit;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{Args, value_parser};
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::sync::Notify;

/// How many connections wait for clients.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connect")]
pub struct PoolSettings {
    /// Connections kept open to each backend for clients to come. Only for backends
    /// that can spare them, and that wait for the client to speak first
    #[arg(id = "pool-size", long, value_name = "N", default_value_t = DEFAULT_POOL_SIZE, value_parser = value_parser!(u16).range(..=LARGEST_POOL))]
    pub size: u16,
}

/// Connections to one backend that wait for a client.
#[derive(Debug, Default)]
pub struct Pool {
    idle: Mutex<VecDeque<TcpStream>>,

    /// A client has asked for one.
    pub taken: Notify,

    speaks_first: AtomicBool,
}

impl Pool {
    /// Takes out the oldest connection on which nothing has come, no byte and no end.
    ///
    /// A byte is older than the client, and may have been meant for the first moment
    /// after the handshake. A backend that speaks first loses its pool: its clients
    /// shall hear it fresh, as they would without a proxy.
    pub fn take(&self) -> Option<TcpStream> {
        let mut idle = self.idle.lock().expect("no panic while held");
        let found = loop {
            let Some(stream) = idle.pop_front() else {
                break None;
            };
            match heard(&stream) {
                Heard::Nothing => break Some(stream),
                Heard::End => {}
                Heard::Words => {
                    self.speaks_first.store(true, Ordering::Relaxed);
                    idle.clear();
                }
            }
        };

        self.taken.notify_one();
        found
    }

    /// Whether the backend has said something that nobody had asked for.
    pub fn speaks_first(&self) -> bool {
        self.speaks_first.load(Ordering::Relaxed)
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
        // The backend may have spoken while this one was dialled.
        if !self.speaks_first() {
            let mut idle = self.idle.lock().expect("no panic while held");
            idle.push_back(stream);
        }
    }
}

/// What has come on a connection that waited.
enum Heard {
    Nothing,

    Words,

    End,
}

/// Asks the kernel, which knows of what the runtime may not have heard of yet. An end
/// behind unread bytes is not seen, but then there are the bytes.
fn heard(stream: &TcpStream) -> Heard {
    match SockRef::from(stream).peek(&mut [MaybeUninit::uninit()]) {
        Err(error) if error.kind() == ErrorKind::WouldBlock => Heard::Nothing,
        Ok(0) | Err(_) => Heard::End,
        Ok(_) => Heard::Words,
    }
}

/// None: each costs the backend a connection that does nothing, and a backend that
/// serves one at a time serves nobody meanwhile. Only the operator knows the backends.
const DEFAULT_POOL_SIZE: u16 = 0;

/// More at one backend is a mistake: as many descriptors would be missing for clients.
const LARGEST_POOL: i64 = 1024;

#[cfg(test)]
mod tests;
