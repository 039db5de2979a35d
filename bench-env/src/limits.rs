//! Asks of each measurement: was it the proxy that decided it?

/// What else was going on while a contender was measured.
#[derive(Debug, Clone, Default)]
pub struct Window {
    /// How long it was.
    pub seconds: f64,

    /// Cores of the machine.
    pub cores: f64,

    /// CPU seconds of the whole machine in the window.
    pub machine: f64,

    /// CPU seconds that the host gave to another machine.
    pub stolen: f64,

    /// CPU seconds of the busiest thread of the load generator.
    pub busiest_load_thread: f64,

    /// CPU seconds of the busiest process of the backends.
    pub busiest_backend: f64,

    /// Connections that ended without `TIME_WAIT`.
    pub time_wait_overflows: u64,

    /// Connections that the full queue of a listener dropped.
    pub listen_overflows: u64,

    /// Connections in `TIME_WAIT` at the end.
    pub time_wait: u64,

    /// Ports for outgoing connections.
    pub ports: u64,

    /// Connects of the load generator that failed.
    pub connect_errors: u64,
}

/// Names what may have decided the figures instead of the proxy.
pub fn judge(window: &Window) -> Vec<String> {
    let share = |seconds: f64| seconds / window.seconds;
    let mut limits = Vec::new();

    if share(window.busiest_load_thread) >= FULL {
        limits.push("load generator: a thread used a whole core".to_owned());
    }
    if share(window.busiest_backend) >= FULL {
        limits.push("backend: a worker used a whole core".to_owned());
    }
    if share(window.machine) >= FULL * window.cores {
        limits.push("machine: no core was idle; compare the work per core".to_owned());
    }
    if share(window.stolen) >= STOLEN * window.cores {
        limits.push("host: it gave part of the time to another machine".to_owned());
    }
    if window.time_wait_overflows > 0 {
        limits.push(
            "ports: more connections in TIME_WAIT than net.ipv4.tcp_max_tw_buckets".to_owned(),
        );
    }
    if window.connect_errors > 0 && window.time_wait >= window.ports {
        limits.push(
            "ports: as many connections in TIME_WAIT as net.ipv4.ip_local_port_range has ports"
                .to_owned(),
        );
    }
    if window.listen_overflows > 0 {
        limits.push("queue: a listener dropped connections; see net.core.somaxconn".to_owned());
    }
    limits
}

/// From here on a core counts as full: sampling and the first connects take the rest.
const FULL: f64 = 0.95;

/// Noise that a figure of three digits does not show.
const STOLEN: f64 = 0.02;

#[cfg(test)]
mod tests;
