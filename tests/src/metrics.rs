//! Reads a program's metrics, as Prometheus does.

use std::net::SocketAddr;
use std::time::{Duration, Instant};
use std::{fmt, thread};

use crate::peer::Peer;
use crate::program::Program;
use crate::record::DEADLINE;

/// One reading of the page.
#[derive(Debug)]
pub struct Page(String);

impl Page {
    /// Asks for the page.
    pub fn read(program: &Program) -> Self {
        let url = program.metrics_url();
        let rest = url.strip_prefix("http://").expect("an HTTP address");
        let (host, path) = rest.split_once('/').expect("an address with a path");
        let addr: SocketAddr = host.parse().expect("a socket address");

        let request = format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let (answer, _) = Peer::connect(addr).say(request).hear_all();
        Self(String::from_utf8_lossy(&answer).into_owned())
    }

    /// The value of a series, as it is written; `none` if it is not there.
    pub fn value(&self, series: &str) -> String {
        let found = self.samples().find(|(name, _)| *name == series);
        found.map_or("none".into(), |(_, value)| value.into())
    }

    /// The names of all series, with their labels.
    pub fn series(&self) -> Vec<&str> {
        self.samples().map(|(name, _)| name).collect()
    }

    fn samples(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.0.lines().filter(|line| line.starts_with("tcpproxy_"));
        lines.filter_map(|line| line.rsplit_once(' '))
    }
}

/// Waits until a series has a value, and returns the one it has at last.
pub fn settles_at(program: &Program, series: &str, wanted: impl fmt::Display) -> String {
    let wanted = wanted.to_string();
    let deadline = Instant::now() + DEADLINE;
    loop {
        let value = Page::read(program).value(series);
        if value == wanted || Instant::now() >= deadline {
            return value;
        }
        thread::sleep(Duration::from_millis(10));
    }
}
