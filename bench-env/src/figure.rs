//! What is measured: a name, a unit, and which direction is better.

use serde::{Deserialize, Serialize};

/// One kind of figure. The names in the JSON are these in `snake_case`; the unit is
/// part of the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Answers per second of the load generator.
    RequestsPerSecond,

    /// CPU seconds of the proxy per second, all its processes.
    Cores,

    /// Requests per CPU second of the proxy.
    RequestsPerCoreSecond,

    /// CPU time of the proxy for each request.
    CpuMicrosPerRequest,

    /// Bytes of answers per second.
    BytesPerSecond,

    /// Bytes of answers per CPU second of the proxy.
    BytesPerCoreSecond,

    /// Half of the requests took no longer.
    P50Micros,

    /// Of a hundred requests, 99 took no longer.
    P99Micros,

    /// P50 less that of the direct run of the same round.
    AddedP50Micros,

    /// P99 less that of the direct run of the same round.
    AddedP99Micros,

    /// Requests per second that were asked for, whatever came.
    OfferedPerSecond,

    /// Resident memory at the end, all processes.
    RssKib,

    /// Proportional memory at the end, all processes.
    PssKib,

    /// Resident memory at the end less that at the start.
    RssGrowthKib,

    /// By how much that is for each connection that was served.
    RssGrowthPerConnection,

    /// Connections that the proxy has accepted while measured.
    Connections,

    /// Connections that the proxy has accepted since its start.
    ConnectionsTotal,

    /// Connections that were still open when it was told to end.
    ConnectionsActive,

    /// Connections that it said to be waiting for when it was told to end.
    Draining,

    /// Proportional memory for each idle connection.
    BytesPerConnection,

    /// Descriptors for each idle connection.
    DescriptorsPerConnection,

    /// Handshakes per second.
    HandshakesPerSecond,

    /// Handshakes per CPU second of the proxy.
    HandshakesPerCoreSecond,

    /// Seconds that each client spent waiting for the peek's deadline.
    WaitSecondsPerClient,

    /// Requests per second that the wait lets one expect at least.
    PredictedPerSecond,

    /// The same, if those that do not wait have the machine to themselves.
    PredictedMostPerSecond,

    /// Connections to the backends while there is no client.
    WaitingConnections,

    /// CPU seconds of the backends per second.
    BackendCores,

    /// CPU seconds of the load generator per second.
    LoadCores,

    /// CPU seconds of the whole machine per second.
    MachineCores,
}

impl Figure {
    /// How a table's head names it.
    pub fn label(self) -> &'static str {
        match self {
            Self::RequestsPerSecond => "req/s",
            Self::Cores => "cores",
            Self::RequestsPerCoreSecond => "req/s per core",
            Self::CpuMicrosPerRequest => "CPU per request",
            Self::BytesPerSecond => "bytes/s",
            Self::BytesPerCoreSecond => "bytes per core-second",
            Self::P50Micros => "p50",
            Self::P99Micros => "p99",
            Self::AddedP50Micros => "added p50",
            Self::AddedP99Micros => "added p99",
            Self::OfferedPerSecond => "offered req/s",
            Self::RssKib => "RSS",
            Self::PssKib => "PSS",
            Self::RssGrowthKib => "RSS growth",
            Self::RssGrowthPerConnection => "growth per connection",
            Self::Connections => "connections",
            Self::ConnectionsTotal => "connections total",
            Self::ConnectionsActive => "open at the signal",
            Self::Draining => "`draining N`",
            Self::BytesPerConnection => "memory per connection",
            Self::DescriptorsPerConnection => "descriptors per connection",
            Self::HandshakesPerSecond => "handshakes/s",
            Self::HandshakesPerCoreSecond => "handshakes/s per core",
            Self::WaitSecondsPerClient => "waited per client",
            Self::PredictedPerSecond => "predicted at least",
            Self::PredictedMostPerSecond => "predicted at most",
            Self::WaitingConnections => "connections at rest",
            Self::BackendCores => "backend cores",
            Self::LoadCores => "load generator cores",
            Self::MachineCores => "machine cores",
        }
    }

    /// Writes a value with the unit that suits its size.
    pub fn show(self, value: f64) -> String {
        match self {
            Self::Cores | Self::BackendCores | Self::LoadCores | Self::MachineCores => {
                format!("{value:.2}")
            }
            Self::BytesPerSecond | Self::BytesPerCoreSecond => bytes(value, 1000.0),
            Self::RssKib | Self::PssKib | Self::RssGrowthKib => bytes(value * 1024.0, 1024.0),
            Self::BytesPerConnection | Self::RssGrowthPerConnection => {
                format!("{} B", thousands(value))
            }
            Self::CpuMicrosPerRequest => format!("{value:.1} µs"),
            Self::P50Micros | Self::P99Micros | Self::AddedP50Micros | Self::AddedP99Micros => {
                micros(value)
            }
            Self::WaitSecondsPerClient => format!("{value:.1} s"),
            Self::DescriptorsPerConnection => format!("{value:.1}"),
            _ => thousands(value),
        }
    }
}

/// As 12,345.
pub fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value < 0.0 && digits != "0" {
        text.insert(0, '-');
    }
    text
}

fn micros(value: f64) -> String {
    match value.abs() {
        size if size < 1000.0 => format!("{value:.0} µs"),
        size if size < 1_000_000.0 => format!("{:.2} ms", value / 1000.0),
        _ => format!("{:.2} s", value / 1_000_000.0),
    }
}

fn bytes(value: f64, step: f64) -> String {
    let infix = if step == 1024.0 { "i" } else { "" };
    let kilo = if step == 1024.0 { "K" } else { "k" };
    match value.abs() {
        size if size < step => format!("{value:.0} B"),
        size if size < step * step => format!("{:.0} {kilo}{infix}B", value / step),
        size if size < step * step * step => format!("{:.1} M{infix}B", value / step / step),
        _ => format!("{:.2} G{infix}B", value / step / step / step),
    }
}

#[cfg(test)]
mod tests;
