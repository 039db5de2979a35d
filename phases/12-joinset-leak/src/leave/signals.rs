//! The signals that ask the proxy to leave, and those that must not end it.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing::info;

/// What the kernel would end the process for, with all its connections.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,

    interrupt: Signal,

    quit: Signal,

    hangup: Signal,

    user_1: Signal,

    user_2: Signal,
}

impl Signals {
    /// From now on the signals do nothing by themselves, for the rest of the
    /// process: whoever calls this has to wait for the second one too.
    pub fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            hangup: signal(SignalKind::hangup())?,
            user_1: signal(SignalKind::user_defined1())?,
            user_2: signal(SignalKind::user_defined2())?,
        })
    }

    /// Waits until somebody asks the proxy to leave: SIGTERM, which service managers
    /// send, SIGINT, which Ctrl-C sends, or SIGQUIT, which nginx understands in this
    /// way. The others mean something in other programs, and whoever sends one by habit
    /// should not lose connections.
    pub async fn next(&mut self) {
        loop {
            let ignored = tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.quit.recv() => return,
                _ = self.hangup.recv() => "SIGHUP",
                _ = self.user_1.recv() => "SIGUSR1",
                _ = self.user_2.recv() => "SIGUSR2",
            };
            info!("{ignored} means nothing here and is ignored");
        }
    }
}
