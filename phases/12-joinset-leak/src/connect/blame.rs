//! Whose fault is it that no connection could be made?

use std::io::{self, ErrorKind};

/// Whether an error of [`dial`] is the backend's. A lack of our own, of descriptors
/// or of ports, says nothing about it: a busy proxy must not believe that all its
/// backends have died.
pub fn blames_backend(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::TimedOut
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
    )
}
