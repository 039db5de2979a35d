//! Clients that only want to know who answers.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use crate::peer::{End, Peer};
use crate::record::DEADLINE;

/// The name of the backend that serves a new client; `-` if none does.
pub fn ask(proxy: SocketAddr) -> String {
    answer(&Peer::connect(proxy))
}

/// Asks over a connection that is there, and leaves it open.
pub fn answer(client: &Peer) -> String {
    answer_within(client, DEADLINE).unwrap_or_else(|_| "-".into())
}

/// The same, for who wants to know what happens instead of an answer.
pub fn answer_within(client: &Peer, within: Duration) -> Result<String, End> {
    client.say("?").hear_line(within)
}

/// The names that `count` clients get, one after the other: `abab`, `a-a-`.
pub fn ask_all(proxy: SocketAddr, count: usize) -> String {
    (0..count).map(|_| ask(proxy)).collect()
}

/// Who serves `count` clients, in the order of the alphabet: `a and b`, `b and nobody`.
pub fn who(proxy: SocketAddr, count: usize) -> String {
    let names: BTreeSet<_> = (0..count)
        .map(|_| match ask(proxy) {
            name if name == "-" => "nobody".into(),
            name => name,
        })
        .collect();
    names.into_iter().collect::<Vec<_>>().join(" and ")
}

/// How many of `count` clients are served, one after the other.
pub fn served(proxy: SocketAddr, count: usize) -> String {
    let served = ask_all(proxy, count)
        .chars()
        .filter(|&name| name != '-')
        .count();
    format!("{served} of {count} served")
}

/// Asks again and again, each time over a new connection, until `name` answers.
/// False if it does not within the time.
pub fn ask_until(proxy: SocketAddr, within: Duration, name: &str) -> bool {
    let deadline = Instant::now() + within;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if answer_within(&Peer::connect(proxy), left).is_ok_and(|answer| answer == name) {
            return true;
        }
        if left.is_zero() {
            return false;
        }
        thread::sleep(Duration::from_millis(10));
    }
}
