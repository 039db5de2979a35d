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
        Self(request(program, GET))
    }

    /// All of it, with the head of the answer.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The value of a series, as it is written; `none` if it is not there.
    pub fn value(&self, series: &str) -> String {
        let found = self.samples().find(|(name, _)| *name == series);
        found.map_or("none".into(), |(_, value)| value.into())
    }

    /// The values of all series that begin with `prefix`, together.
    pub fn sum(&self, prefix: &str) -> f64 {
        let samples = self.samples().filter(|(name, _)| name.starts_with(prefix));
        samples
            .filter_map(|(_, value)| value.parse::<f64>().ok())
            .sum()
    }

    /// The names of all series, with their labels.
    pub fn series(&self) -> Vec<&str> {
        self.samples().map(|(name, _)| name).collect()
    }

    /// The names of all counters, without labels.
    pub fn counters(&self) -> impl Iterator<Item = &str> {
        let lines = self.0.lines();
        lines.filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter"))
    }

    fn samples(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = self.0.lines().filter(|line| line.starts_with("tcpproxy_"));
        lines.filter_map(|line| line.rsplit_once(' '))
    }
}

/// Where the page is served.
pub fn addr(program: &Program) -> SocketAddr {
    let url = program.metrics_url();
    let addr = url.strip_prefix("http://");
    let addr = addr.and_then(|rest| rest.strip_suffix("/metrics")?.parse().ok());
    addr.expect("`metrics on` is followed by http://ADDR/metrics")
}

/// What the endpoint answers to a request.
pub fn request(program: &Program, request: &str) -> String {
    let (answer, _) = Peer::connect(addr(program)).say(request).hear_all();
    String::from_utf8_lossy(&answer).into_owned()
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

const GET: &str = "GET /metrics HTTP/1.1\r\nHost: proxy\r\nConnection: close\r\n\r\n";
