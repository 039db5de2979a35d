//! Descriptors: each client takes two, its own and the one to the backend, and a process
//! may have a limited number of them.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tracing::warn;

/// How many of `wanted` clients there are descriptors for.
pub fn enough_for(wanted: usize) -> usize {
    let limit = raise_limit();
    let most = (limit.saturating_sub(BESIDES) / 2).max(1);

    if most < wanted {
        warn!(
            "{limit} descriptors are enough for {most} client(s), not for {wanted}; raise the \
             hard limit (ulimit -Hn), or lower --max-connections"
        );
    }
    wanted.min(most)
}

/// Raises the soft limit to the hard one. It is often 1024, because select(2) knows no
/// more descriptors; this program uses epoll.
fn raise_limit() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: maximum,
        maximum,
    };

    let limit = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => maximum,
        Err(_) => current,
    };
    limit.map_or(usize::MAX, |limit| {
        usize::try_from(limit).unwrap_or(usize::MAX)
    })
}

/// For the listener, the checks, the runtime and a few connections that wait.
const BESIDES: usize = 64;
