//! The workers, one for each core: a thread with a runtime, listeners, connections
//! and counters of its own. What they share is looked at once for each
//! connection, never for a byte.

use std::io;
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::accept::handover::{Load, Team};
use crate::accept::listen::Listener;
use crate::leave::Orders;
use crate::proxy::Proxy;
use crate::server;

/// All workers, as the control thread sees them.
#[derive(Debug)]
pub struct Workers {
    loads: Vec<Arc<Load>>,

    running: JoinSet<anyhow::Result<()>>,

    /// Ends when nobody accepts any more.
    accepting: mpsc::Receiver<()>,
}

impl Workers {
    /// Starts a worker for each of `proxies`, with its part of `listeners`.
    pub fn start(
        proxies: &[Arc<Proxy>],
        listeners: Vec<Vec<Listener>>,
        orders: &Orders,
    ) -> anyhow::Result<Self> {
        let loads: Vec<_> = proxies.iter().map(|_| Arc::default()).collect();
        let mut running = JoinSet::new();
        let (until, accepting) = mpsc::channel(1);

        let parts = proxies.iter().zip(listeners).zip(Team::new(&loads, until));
        for (n, ((proxy, listeners), (team, inbox))) in parts.enumerate() {
            let (proxy, orders) = (Arc::clone(proxy), orders.clone());
            running.spawn(start_thread(format!("worker-{}", n + 1), async move {
                server::serve(listeners, proxy, team, inbox, orders).await
            })?);
        }

        Ok(Self {
            loads,
            running,
            accepting,
        })
    }

    /// Returns when nobody accepts any more; with an error, if a worker has died before.
    pub async fn stopped(&mut self) -> anyhow::Result<()> {
        tokio::select! {
            _ = self.accepting.recv() => Ok(()),
            Some(ended) = self.running.join_next() => ended?,
        }
    }

    /// Returns when all workers have ended.
    pub async fn ended(&mut self) -> anyhow::Result<()> {
        while let Some(ended) = self.running.join_next().await {
            ended??;
        }
        Ok(())
    }

    /// Says how many clients there are, whenever it is asked.
    pub fn clients(&self) -> impl Fn() -> usize + use<> {
        let loads = self.loads.clone();
        move || loads.iter().map(|load| load.get()).sum()
    }
}

/// Starts a thread that does `work`, and returns what waits for its end. A panic is an
/// error like others: a proxy that goes on with one core less, and without the clients
/// in its queue, would look healthy.
fn start_thread(
    name: String,
    work: impl Future<Output = io::Result<()>> + Send + 'static,
) -> anyhow::Result<impl Future<Output = anyhow::Result<()>>> {
    let cannot = format!("cannot start {name}");
    let runtime = Builder::new_current_thread()
        .enable_all()
        .event_interval(EVENT_INTERVAL)
        .build();
    let runtime = runtime.context(cannot.clone())?;
    let (ended, end) = oneshot::channel();

    let thread = thread::Builder::new().name(name.clone());
    let body = move || {
        // Fails only if nobody waits any more.
        let _ = ended.send(runtime.block_on(work));
    };
    thread.spawn(body).context(cannot)?;

    Ok(async move {
        let ended = end.await.with_context(|| format!("{name} has died"))?;
        ended.context(name)
    })
}

/// How many tasks have their turn between two looks at the sockets. A turn of a large
/// flow takes some tens of microseconds; with the usual 61, a small message waits for as many
/// of them before anybody notices it. Less costs a system call more for each few turns.
const EVENT_INTERVAL: u32 = 4;

#[cfg(test)]
mod tests;
