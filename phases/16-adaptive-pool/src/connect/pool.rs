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
    /// at once, or a fixed number. Only for backends that can spare them, and that wait
    /// for the client to speak first
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

    /// A connection has come to its end.
    pub ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    idle: VecDeque<Idle>,

    demand: Option<Demand>,

    events: Events,

    speaks_first: bool,
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

    /// Connections on which something came while they waited, an end or words.
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

    /// Takes out the oldest connection that is not too old, and on which nothing has
    /// come, no byte and no end.
    ///
    /// A byte is older than the client, and may have been meant for the first moment
    /// after the handshake. A backend that speaks first loses its pool: its clients
    /// shall hear it fresh, as they would without a proxy.
    pub fn take(&self) -> Option<TcpStream> {
        let now = Instant::now();
        let mut state = self.lock();
        state.demand.as_mut()?.taken(now);
        self.changed.notify_one();

        state.expire(now);
        while let Some(Idle { stream, .. }) = state.idle.pop_front() {
            match heard(&stream) {
                Heard::Nothing => {
                    state.events.hit += 1;
                    return Some(stream);
                }
                Heard::End => state.events.stale += 1,
                Heard::Words => {
                    state.events.stale += 1;
                    state.give_up();
                }
            }
        }
        state.events.miss += 1;
        None
    }

    /// Whether the backend has said something that nobody had asked for.
    pub fn speaks_first(&self) -> bool {
        self.lock().speaks_first
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

    /// Ready when something has come on a connection, and takes it out. No timer, and no
    /// question to the kernel: the runtime wakes the task as it does for a reader.
    pub fn poll_ends(&self, cx: &mut Context<'_>) -> Poll<()> {
        let state = &mut *self.lock();
        let before = state.idle.len();
        let mut words = false;
        state.idle.retain(|idle| {
            let heard = poll_heard(&idle.stream, cx);
            words |= heard == Heard::Words;
            heard == Heard::Nothing
        });

        let ended = before - state.idle.len();
        state.events.stale += ended as u64;
        if words {
            state.give_up();
        }
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

    fn give_up(&mut self) {
        self.speaks_first = true;
        self.idle.clear();
        self.demand = None;
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

/// What has come on a connection that waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// The same question to the runtime. If nothing has come, it wakes the task when
/// something may have.
fn poll_heard(stream: &TcpStream, cx: &mut Context<'_>) -> Heard {
    match stream.poll_peek(cx, &mut ReadBuf::new(&mut [0])) {
        Poll::Pending => Heard::Nothing,
        Poll::Ready(Ok(0) | Err(_)) => Heard::End,
        Poll::Ready(Ok(_)) => Heard::Words,
    }
}

/// None: each costs the backend a connection that does nothing, and a backend that
/// serves one at a time serves nobody meanwhile. Only the operator knows the backends.
const DEFAULT_POOL_SIZE: &str = "0";

/// Half of the shortest patience that is common: Apache gives a client 20 seconds for
/// its first byte, nginx 60. Longer, and what waits is closed when it is wanted; or it is
/// gone without a sign, because a firewall has forgotten it. Shorter, and connections
/// are opened for nothing.
const DEFAULT_POOL_MAX_IDLE: &str = "10s";

#[cfg(test)]
mod tests;
