//! The signals that ask the proxy to leave.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM, which service managers send, and SIGINT, which Ctrl-C sends.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,

    interrupt: Signal,
}

impl Signals {
    /// From now on the signals do nothing by themselves, for the rest of the
    /// process: whoever calls this has to wait for the second one too.
    pub fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for either.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
