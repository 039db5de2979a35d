//! Station *accept*, between workers: who serves a client?
//!
//! The kernel gives each client to one of the listeners by a hash of its addresses,
//! which is as good as drawing lots: it does not know who is busy. So a worker that
//! has clearly more clients than another one gives a newcomer away.

use std::io;
use std::net::{self, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::TcpStream;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::accept::listen::Detect;

/// A client that another worker has accepted.
#[derive(Debug)]
pub struct Handover {
    /// Known to no runtime: the one that knew it has let go.
    pub client: net::TcpStream,

    /// Who it is.
    pub peer: SocketAddr,

    /// What is asked of it.
    pub detect: Detect,

    /// Its place at the worker that gets it.
    pub seat: Seat,
}

/// The handovers to one worker. They end when nobody accepts any more.
pub type Inbox = UnboundedReceiver<Handover>;

/// All workers, as one of them sees them.
#[derive(Debug, Clone)]
pub struct Team {
    own: usize,

    members: Vec<Member>,

    /// Dropped, as all the rest, when nobody is accepted any more.
    _accepting: mpsc::Sender<()>,
}

#[derive(Debug, Clone)]
struct Member {
    load: Arc<Load>,

    inbox: UnboundedSender<Handover>,
}

impl Team {
    /// For each of the workers with these loads its view of the team, and its inbox.
    /// The views are held by those who accept: when all are dropped, `accepting` ends,
    /// and so do the inboxes.
    pub fn new(
        loads: &[Arc<Load>],
        accepting: mpsc::Sender<()>,
    ) -> impl Iterator<Item = (Self, Inbox)> {
        let (members, inboxes): (Vec<_>, Vec<_>) = loads
            .iter()
            .map(|load| {
                let load = Arc::clone(load);
                let (inbox, handovers) = mpsc::unbounded_channel();
                (Member { load, inbox }, handovers)
            })
            .unzip();

        inboxes.into_iter().enumerate().map(move |(own, inbox)| {
            let team = Self {
                own,
                members: members.clone(),
                _accepting: accepting.clone(),
            };
            (team, inbox)
        })
    }

    /// A place for the client, and the client again; or nothing, if another worker
    /// got it. An error, if it was lost on the way.
    pub fn place(
        &self,
        client: TcpStream,
        peer: SocketAddr,
        detect: Detect,
    ) -> io::Result<Option<(TcpStream, Seat)>> {
        let own = &self.members[self.own];
        let loads = self
            .members
            .iter()
            .map(|member| (member.load.get(), member));
        let lowest = loads.min_by_key(|(load, _)| *load);
        let (lowest, other) = lowest.expect("a team has at least the member that asks");
        if own.load.get() <= lowest + lowest / SLACK {
            return Ok(Some((client, Seat::at(&own.load))));
        }

        let handover = Handover {
            client: client.into_std()?,
            peer,
            detect,
            seat: Seat::at(&other.load),
        };
        // Fails only if that worker has died, and then the process is about to end.
        let sent = other.inbox.send(handover);
        sent.map_err(|_| io::Error::other("the other worker has died"))?;
        Ok(None)
    }
}

/// How many clients a worker has. It writes this for each connection, and the others
/// read it, so nothing else should lie in the same cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
pub struct Load(AtomicUsize);

impl Load {
    /// The number.
    pub fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// A client's place at a worker, counted for as long as it is held. It is taken
/// before the client is on its way: of a burst, all would go to the same worker else.
#[derive(Debug)]
pub struct Seat(Arc<Load>);

impl Seat {
    fn at(load: &Arc<Load>) -> Self {
        load.0.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(load))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A worker keeps clients until it has an eighth more than another one. With a few
/// clients that is none: of eight downloads, each of two workers gets four. With many
/// chance evens out most of it, and to give a client away costs some system calls.
const SLACK: usize = 8;

#[cfg(test)]
mod tests;
