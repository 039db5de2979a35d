//! Whose fault is it that a connection cannot be made? Each error of connect(2) is
//! sorted here, once.

use std::io;

use rustix::io::Errno;

/// Whether an error says something about this one backend. A lack of our own does
/// not: a busy proxy must not believe that all its backends have died.
pub fn blames_backend(error: &io::Error) -> bool {
    let Some(code) = Errno::from_io_error(error) else {
        // In our own words: no answer came in time, or none at all can come.
        return true;
    };

    match code {
        // The backend's: its machine has answered, or has not.
        Errno::CONNREFUSED | Errno::CONNRESET | Errno::CONNABORTED | Errno::TIMEDOUT => true,

        // The way's: a router or a firewall, perhaps our own, lets nothing through to
        // this backend. Others may be reached.
        Errno::HOSTUNREACH | Errno::HOSTDOWN | Errno::NOPROTOOPT | Errno::PERM | Errno::ACCESS => {
            true
        }

        // Ours: no descriptor, memory or port is left (`EMFILE`, `ENFILE`, `ENOMEM`,
        // `ENOBUFS`, `EADDRNOTAVAIL`, `EAGAIN`), or this machine has no way into that
        // network at the moment (`ENETUNREACH`, `ENETDOWN`, `EAFNOSUPPORT`). It fails at
        // once, so nobody waits, and whoever comes when the lack is over is served.
        _ => false,
    }
}

#[cfg(test)]
mod tests;
