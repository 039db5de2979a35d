//! A network with a delay, on one machine: a device whose packets pass through this
//! program, which holds each of them for a while.
//!
//! A relay could not do this. The kernel answers a handshake before a relay knows of
//! it, and the handshake is what a pool saves. Where the kernel has `netem` that would
//! do, but many have not; this needs `/dev/net/tun` and the right to use it.
//!
//! The device is gone with the process, whatever ends it.

use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::num::NonZeroU64;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rustix::thread::set_current_timer_slack;

/// The command line of the network.
#[derive(Debug, clap::Args)]
pub struct Link {
    /// How long a packet there and one back take together
    #[arg(long, value_parser = humantime::parse_duration)]
    round_trip: Duration,
}

/// This end: where the backends listen.
pub const NEAR: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);

/// The same host, seen through the network. Both are from the range that is kept for
/// benches (RFC 2544).
pub const FAR: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);

/// What is printed when packets for [`FAR`] take this way. Before, they would leave the
/// host, and who knows who answers there.
pub const UP: &str = "up";

impl Link {
    /// Delays packets until it is killed.
    pub fn run(self) -> Result<()> {
        let mut config = tun::Configuration::default();
        config.address(NEAR).netmask((255, 255, 255, 252)).up();
        let device = tun::create(&config)
            .context("cannot create a network device; run as root where /dev/net/tun exists")?;
        println!("{UP}");
        let (mut reader, writer) = device.split();
        let (hold, held) = channel();

        thread::spawn(move || give_back(&held, writer));
        loop {
            let mut packet = vec![0; MTU];
            let length = reader.read(&mut packet).context("the network device")?;
            packet.truncate(length);

            // What was sent to the far end comes from it. The checksums are sums, and so
            // stay right. The kernel also asks for neighbours by IPv6; there are none.
            if packet.len() >= IPV4_HEADER && packet[0] >> 4 == 4 {
                let (source, destination) = packet[12..20].split_at_mut(4);
                source.swap_with_slice(destination);
                hold.send((Instant::now() + self.round_trip / 2, packet))?;
            }
        }
    }
}

fn give_back(held: &Receiver<(Instant, Vec<u8>)>, mut device: impl Write) {
    // By default the kernel may wake a thread 50 µs late.
    let _ = set_current_timer_slack(NonZeroU64::new(1));

    for (due, packet) in held {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        // A full queue drops packets, as networks do.
        let _ = device.write_all(&packet);
    }
}

const MTU: usize = 1500;

const IPV4_HEADER: usize = 20;
