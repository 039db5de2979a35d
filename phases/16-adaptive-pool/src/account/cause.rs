//! Why a connection ended, in two letters: who ended it, and at which station.
//! The form is that of HAProxy's termination state (`configuration.txt`, 8.5).
//!
//! Who: `C` the client, `S` the backend (server), lower case if by its silence,
//! `P` the proxy, by a limit or a lack of descriptors or of a route; `K` killed from outside,
//! `I` an internal error, `-` nobody, all went well.
//!
//! Station: `A` admit, `F` fault, `I` identify, `C` choose and connect, `N`
//! announce, `D` data (relay), `-` done.

use std::io::ErrorKind;
use std::thread;

use crate::error::Error;
use crate::relay::meter::Side;

/// The two letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause(pub &'static str);

impl Cause {
    /// Every cause there is.
    pub const ALL: [&'static str; 17] = [
        "--", "PA", "PC", "PF", "CI", "SC", "sC", "CN", "SN", "CD", "cD", "SD", "sD", "KC", "KD",
        "IC", "ID",
    ];

    /// How a session ended that has come to its end.
    pub fn of(result: &Result<(), Error>) -> Self {
        Self(match result {
            Ok(()) => "--",
            Err(error) => match error {
                Error::Full(_) | Error::TooFast(_) | Error::HandOver { .. } => "PA",
                Error::Fault => "PF",
                Error::Identify { .. } => "CI",
                Error::Connect { source, .. } if source.kind() == ErrorKind::TimedOut => "sC",
                Error::Connect { .. } if error.fault_of_backend().is_none() => "PC",
                Error::NoRoute => "PC",
                Error::NoBackend | Error::Connect { .. } => "SC",
                Error::Client { .. } => "CN",
                Error::Announce { .. } => "SN",
                Error::Relay { side, .. } => match side {
                    Side::Client => "CD",
                    Side::Backend => "SD",
                },
                Error::Idle(_) => "cD",
                Error::HalfClosed { silent, .. } => match silent {
                    Side::Client => "cD",
                    Side::Backend => "sD",
                },
            },
        })
    }

    /// How a session ended that never came to its end: its task was dropped, or
    /// panicked.
    pub fn of_dropped(connected: bool) -> Self {
        Self(match (thread::panicking(), connected) {
            (false, false) => "KC",
            (false, true) => "KD",
            (true, false) => "IC",
            (true, true) => "ID",
        })
    }
}
