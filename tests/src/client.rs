//! Clients that only want to know who answers.

use std::collections::BTreeSet;
use std::net::SocketAddr;
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

/// Asks again and again until `right` is pleased with the answer or the time is up.
pub fn ask_until(proxy: SocketAddr, within: Duration, right: impl Fn(&str) -> bool) -> bool {
    let deadline = Instant::now() + within;
    loop {
        if right(&ask(proxy)) {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
