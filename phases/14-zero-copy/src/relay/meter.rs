//! Counts what a side of a connection sends.

use std::fmt;

use prometheus::IntCounter;

/// The two sides of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Who connected to the proxy.
    Client,

    /// Who the proxy connected to.
    Backend,
}

impl Side {
    /// The one opposite.
    pub fn other(self) -> Self {
        match self {
            Self::Client => Self::Backend,
            Self::Backend => Self::Client,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Client => "client",
            Self::Backend => "backend",
        })
    }
}

/// How much one side has sent. Not part of the relay, whose count would be lost
/// when it is cut.
#[derive(Debug)]
pub struct Meter {
    bytes: u64,

    total: IntCounter,
}

impl Meter {
    /// Starts at zero, and adds to `total` as well: at once, not at the end, or a
    /// graph would show nothing of a long connection until it is over.
    pub fn new(total: IntCounter) -> Self {
        Self { bytes: 0, total }
    }

    /// How much this side has sent.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Notes that `count` more bytes came.
    pub fn add(&mut self, count: usize) {
        self.bytes += count as u64;
        self.total.inc_by(count as u64);
    }
}
