//! The command line of a phase. Each flag exists from some phase on.

use std::net::SocketAddr;

use super::Setup;

/// Where a phase listens, and where it sends.
pub struct Addresses {
    pub listen: SocketAddr,

    pub metrics: SocketAddr,

    pub backends: [SocketAddr; 3],
}

/// Whether a phase sends a PROXY header, if it is wanted.
pub fn announces(setup: &Setup) -> bool {
    setup.announce && setup.number >= 7
}

/// What it is started with.
pub fn arguments(setup: &Setup, addresses: &Addresses) -> Vec<String> {
    let targets = addresses.backends;
    let mut arguments = vec!["--listen".to_owned(), addresses.listen.to_string()];
    let mut add = |flag: &str, value: String| arguments.extend([flag.to_owned(), value]);

    if setup.tls {
        for target in targets {
            add("--sni", format!("localhost={target}"));
        }
        // Nothing listens there: a client that is not routed by its name fails.
        add("--backend", "127.0.0.1:1".to_owned());
    } else {
        let count = if setup.number >= 2 { targets.len() } else { 1 };
        for target in &targets[..count] {
            add("--backend", target.to_string());
        }
    }

    if setup.number >= 6 {
        add("--max-connections", MAX_CONNECTIONS.to_owned());
    }
    if let Some(size) = setup.pool.filter(|_| setup.number >= 5) {
        add("--pool-size", size.to_owned());
    }
    if announces(setup) {
        add("--proxy-protocol", "v2".to_owned());
    }
    if setup.number >= 8 {
        add("--metrics", addresses.metrics.to_string());
    }
    if let Some(peek) = setup.peek.filter(|_| setup.number >= 10) {
        // Without a route there is no peek. No client asks for this name.
        add("--sni", format!("bench.invalid={}", targets[0]));
        add(
            "--sni-peek-timeout",
            humantime::format_duration(peek).to_string(),
        );
    }
    arguments
}

/// More than any scenario opens. The rate of new connections is not limited by default.
const MAX_CONNECTIONS: &str = "100000";

#[cfg(test)]
mod tests;
