//! Token buckets: how fast each client address may open connections.

use std::collections::HashMap;
use std::mem;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::Args;

use crate::config::value::at_least_one;

/// How fast an address may open connections.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Admit")]
pub struct RateSettings {
    /// Connections per second and client address (IPv6: per /64 network), as 5/s
    #[arg(id = "rate-limit", long, value_name = "off|N/s", default_value = "off")]
    pub limit: RateLimit,

    /// Connections that an address may open at once before the rate counts
    #[arg(id = "rate-burst", long, value_name = "N", default_value_t = DEFAULT_RATE_BURST, value_parser = at_least_one::<u32>)]
    pub burst: u32,
}

/// A rate as it is written on the command line: `off` or `5/s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimit {
    /// Any rate is fine.
    Off,

    /// Connections per second, in the long run.
    PerSecond(NonZeroU32),
}

impl FromStr for RateLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "off" {
            return Ok(Self::Off);
        }
        text.strip_suffix("/s")
            .and_then(|number| number.parse().ok())
            .map(Self::PerSecond)
            .ok_or_else(|| "write off, or connections per second as 5/s".to_owned())
    }
}

/// A bucket for each address that has come lately.
///
/// A bucket that has not been used for as long as it takes to fill is full, and so
/// need not be remembered. Buckets live in two generations: used ones move to the
/// young one, and at each turn the old one is forgotten whole. That costs nothing
/// per connection, and bounds the table even when each connection comes from
/// another address.
#[derive(Debug)]
pub struct Buckets {
    per_second: f64,

    burst: f64,

    young: HashMap<IpAddr, Bucket>,

    old: HashMap<IpAddr, Bucket>,

    turned: Instant,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    tokens: f64,

    at: Instant,
}

impl Buckets {
    /// Buckets that hold `burst` tokens, or `None` if there is no limit.
    pub fn new(limit: RateLimit, burst: u32, now: Instant) -> Option<Self> {
        let RateLimit::PerSecond(per_second) = limit else {
            return None;
        };

        Some(Self {
            per_second: per_second.get().into(),
            burst: burst.into(),
            young: HashMap::new(),
            old: HashMap::new(),
            turned: now,
        })
    }

    /// Takes a token from the bucket of `address`. False if there is none left.
    pub fn take(&mut self, address: IpAddr, now: Instant) -> bool {
        self.turn_if_due(now);

        let key = key(address);
        let bucket = self.young.get(&key).or_else(|| self.old.get(&key));
        let mut tokens = bucket.map_or(self.burst, |bucket| {
            let earned = now.duration_since(bucket.at).as_secs_f64() * self.per_second;
            (bucket.tokens + earned).min(self.burst)
        });

        let enough = tokens >= 1.0;
        if enough {
            tokens -= 1.0;
        }

        self.young.insert(key, Bucket { tokens, at: now });
        enough
    }

    fn turn_if_due(&mut self, now: Instant) {
        let time_to_fill = Duration::from_secs_f64(self.burst / self.per_second);

        if now.duration_since(self.turned) >= time_to_fill || self.young.len() >= GENERATION {
            self.old = mem::take(&mut self.young);
            self.turned = now;
        }
    }
}

/// What shares a bucket: an IPv4 address, or an IPv6 network of 64 bits, which is
/// the least that a customer gets (RFC 6177) and so may be one machine.
fn key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}

/// Addresses in each of the two generations: as many as fit into a hash table of
/// 2^15 places, 3 MB for both. Under a flood from more than these, the ones that came
/// first are forgotten and start anew.
const GENERATION: usize = 28_672;

/// A browser opens about six connections at once, and several people may share an
/// address.
const DEFAULT_RATE_BURST: u32 = 20;

#[cfg(test)]
mod tests;
