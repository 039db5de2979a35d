//! Why a connection ended before its time.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use thiserror::Error;
use tokio::task::JoinError;
use tracing::error;

use crate::connect::blame::blames_backend;
use crate::relay::meter::Side;

/// Each variant is a station that a connection failed at, with the peer it was
/// dealing with and what the system said.
#[derive(Debug, Error)]
pub enum Error {
    /// As many clients as are allowed are being served.
    #[error("the limit of {0} connection(s) is reached")]
    Full(usize),

    /// This address opens connections too fast.
    #[error("{0} opens connections too fast")]
    TooFast(IpAddr),

    /// It was to be.
    #[error("disconnected on purpose")]
    Fault,

    /// The client left before it said where it wants to go.
    #[error("the client left before it was identified: {source}")]
    Identify {
        /// What looking at its bytes gave.
        source: io::Error,
    },

    /// The client asked for no name that has a route, and there is no other way.
    #[error("it has no route, and there is no --backend")]
    NoRoute,

    /// There was nothing to choose from.
    #[error("no backend is up")]
    NoBackend,

    /// No connection to the backend could be made.
    #[error("cannot connect to backend {backend}: {source}")]
    Connect {
        /// The backend's name.
        backend: String,
        /// What the last address that was tried answered.
        source: io::Error,
    },

    /// The client was gone before it could be announced.
    #[error("the client is gone: {source}")]
    Client {
        /// What asking for its addresses gave.
        source: io::Error,
    },

    /// The backend did not take the header.
    #[error("cannot announce the client to backend {backend}: {source}")]
    Announce {
        /// The backend's name.
        backend: String,
        /// What writing to it gave.
        source: io::Error,
    },

    /// A side broke off while bytes were passed on.
    #[error("the relay with backend {backend} broke at the {side}: {source}")]
    Relay {
        /// The backend's name.
        backend: String,
        /// Who broke off.
        side: Side,
        /// What reading from or writing to it gave.
        source: io::Error,
    },

    /// Nothing came from either side.
    #[error("no byte passed for {}", humantime::format_duration(*.0))]
    Idle(Duration),

    /// One side had ended, and nothing came from the other.
    #[error(
        "half-closed, and no byte passed for {}: the {silent} is silent",
        humantime::format_duration(*.limit)
    )]
    HalfClosed {
        /// How long it was waited for.
        limit: Duration,
        /// Who had not ended.
        silent: Side,
    },
}

impl Error {
    /// Whether a limit turned the client away.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Full(_) | Self::TooFast(_))
    }

    /// What the backend did wrong, if it did.
    pub fn fault_of_backend(&self) -> Option<&io::Error> {
        match self {
            Self::Connect { source, .. } if blames_backend(source) => Some(source),
            _ => None,
        }
    }
}

/// A session handles its errors itself; what ends in one here has panicked. The
/// other clients are not concerned, but somebody should know.
pub fn report_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        error!("a session ended by a bug: {error}");
    }
}
