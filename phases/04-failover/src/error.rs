//! Why a connection ended before its time.

use std::io;

use thiserror::Error;

use crate::connect::blame::blames_backend;

/// Each variant is a station that a connection failed at, with the peer it was
/// dealing with and what the system said.
#[derive(Debug, Error)]
pub enum Error {
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

    /// Either side broke off while bytes were passed on.
    #[error("the relay with backend {backend} broke: {source}")]
    Relay {
        /// The backend's name.
        backend: String,
        /// What reading from or writing to either side gave.
        source: io::Error,
    },
}

impl Error {
    /// What the backend did wrong, if it did.
    pub fn fault_of_backend(&self) -> Option<&io::Error> {
        match self {
            Self::Connect { source, .. } if blames_backend(source) => Some(source),
            _ => None,
        }
    }
}
