//! Station *connect*, sooner: connections that are opened before a client comes,
//! so that no client waits for a handshake.
//!
//! Each is used once. Giving it to a second client is what HTTP proxies do, who
//! know where an answer ends; a byte pump cannot know, and would hand one client
//! the rest of another's answer.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use clap::Args;
use socket2::SockRef;
use tokio::io::ReadBuf;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::config::value::duration;
use crate::connect::demand::{Demand, PoolSize};

/// How many connections wait for clients.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Connect")]
pub struct PoolSettings {
    /// Connections that wait for clients at each backend: as many as have lately come
    /// at once, or a fixed number; 0 for none
    #[arg(id = "pool-size", long, value_name = "auto|N", default_value = DEFAULT_POOL_SIZE)]
    pub size: PoolSize,

    /// How long such a connection may wait, and a burst be remembered. It should be less
    /// than the backends' patience with clients that say nothing
    #[arg(id = "pool-max-idle", long, value_name = "TIME", default_value = DEFAULT_POOL_MAX_IDLE, value_parser = duration)]
    pub max_idle: Duration,
}

/// Connections to one backend that wait for a client. Closed until it is opened: then
/// none wait, and nobody is counted.
#[derive(Debug, Default)]
pub struct Pool {
    state: Mutex<State>,

    /// A client has come, or the pool was closed.
    pub changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    idle: VecDeque<Idle>,

    demand: Option<Demand>,

    events: Events,
}

#[derive(Debug)]
struct Idle {
    stream: TcpStream,

    until: Instant,
}

/// What has become of connections and clients.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Events {
    /// Clients that got a waiting connection.
    pub hit: u64,

    /// Clients for whom there was none.
    pub miss: u64,

    /// Connections that the backend ended while they waited.
    pub stale: u64,

    /// Connections that nobody wanted in time.
    pub expired: u64,
}

impl Pool {
    /// Lets connections wait from now on.
    pub fn open(&self, size: PoolSize, max_idle: Duration) {
        self.lock().demand = Some(Demand::new(size, max_idle, Instant::now()));
    }

    /// Lets none wait any more.
    pub fn close(&self) {
        self.clear();
        self.lock().demand = None;
        self.changed.notify_one();
    }

    /// Gives back what waits: the backend is not to be used for now.
    pub fn clear(&self) {
        let mut state = self.lock();
        state.idle.clear();
        if let Some(demand) = &mut state.demand {
            demand.settled();
        }
    }

    /// Takes out the oldest connection that is neither too old nor at its end.
    pub fn take(&self) -> Option<TcpStream> {
        let now = Instant::now();
        let mut state = self.lock();
        state.demand.as_mut()?.taken(now);

        state.expire(now);
        let stream = loop {
            match state.idle.pop_front() {
                Some(idle) if is_open(&idle.stream) => {
                    state.events.hit += 1;
                    break Some(idle.stream);
                }
                Some(_) => state.events.stale += 1,
                None => {
                    state.events.miss += 1;
                    break None;
                }
            }
        };

        self.changed.notify_one();
        stream
    }

    /// How many connections wait.
    pub fn len(&self) -> usize {
        self.lock().idle.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What has happened so far.
    pub fn events(&self) -> Events {
        self.lock().events
    }

    /// Lets a connection wait.
    pub fn put(&self, stream: TcpStream, until: Instant) {
        let mut state = self.lock();

        // It may have been closed while this one was dialled.
        if let Some(demand) = &mut state.demand {
            demand.replaced();
            state.idle.push_back(Idle { stream, until });
        }
    }

    /// What there is to do now.
    pub fn next(&self, now: Instant) -> Next {
        let mut state = self.lock();
        state.expire(now);

        let waiting = state.idle.len();
        let Some(demand) = &mut state.demand else {
            return Next::End;
        };
        if waiting < demand.target(now) {
            return Next::Dial;
        }
        demand.settled();
        Next::Wait(state.idle.front().map(|oldest| oldest.until))
    }

    /// Ready when a connection has come to its end, and takes it out. No timer, and no
    /// question to the kernel: the runtime wakes the task as it does for a reader.
    pub fn poll_ends(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        let before = state.idle.len();
        state.idle.retain(|idle| !has_ended(&idle.stream, cx));

        let ended = before - state.idle.len();
        state.events.stale += ended as u64;
        if ended > 0 {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no panic while held")
    }
}

impl State {
    /// The oldest come first, because all are given the same time.
    fn expire(&mut self, now: Instant) {
        while self.idle.pop_front_if(|idle| idle.until <= now).is_some() {
            self.events.expired += 1;
        }
    }
}

/// What a pool needs.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// One connection more is wanted.
    Dial,

    /// All is well until a client comes, a connection ends, or the oldest is too old.
    Wait(Option<Instant>),

    /// The pool was closed.
    End,
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

/// The same question to the runtime. If the answer is no, it wakes the task when it
/// may be another.
fn has_ended(stream: &TcpStream, cx: &mut Context<'_>) -> bool {
    match stream.poll_peek(cx, &mut ReadBuf::new(&mut [0])) {
        Poll::Ready(Ok(count)) => count == 0,
        Poll::Ready(Err(_)) => true,
        Poll::Pending => false,
    }
}

/// No number is right for a quiet night and for a burst, nor for two backends that
/// are not equally far away.
const DEFAULT_POOL_SIZE: &str = "auto";

/// Half of the shortest patience that is common: Apache gives a client 20 seconds for
/// its first byte, nginx 60. Longer, and what waits is closed when it is wanted; or it is
/// gone without a sign, because a firewall has forgotten it. Shorter, and connections
/// are opened for nothing.
const DEFAULT_POOL_MAX_IDLE: &str = "10s";

#[cfg(test)]
mod tests;
