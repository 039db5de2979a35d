//! Requests at a fixed rate, whatever the answers do.
//!
//! A request that has to wait until the one before it was answered began when it should
//! have been sent: otherwise a stall would count once instead of for all that it held
//! up. Threads that block are exact to some tens of microseconds; the timers of tokio
//! are not, and would send bursts.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// The command line of the load.
#[derive(Debug, Clone, clap::Args)]
pub struct OpenLoad {
    /// Whom to ask
    #[arg(long)]
    address: SocketAddr,

    /// For what
    #[arg(long)]
    path: String,

    /// Requests per second, all connections together
    #[arg(long)]
    rate: f64,

    /// Connections
    #[arg(long = "clients")]
    clients: u32,

    /// For how long
    #[arg(long)]
    seconds: u64,

    /// A new connection for each request
    #[arg(long)]
    fresh: bool,
}

/// What it found.
#[derive(Debug, Serialize, Deserialize)]
pub struct Answered {
    /// Answers.
    pub requests: u64,

    /// Requests without one.
    pub errors: u64,

    /// Half took no longer.
    pub p50_micros: f64,

    /// Of a hundred, 99 took no longer.
    pub p99_micros: f64,
}

/// How this program is asked for such a load.
pub fn arguments(
    address: SocketAddr,
    path: &str,
    rate: f64,
    connections: u32,
    seconds: u64,
    fresh: bool,
) -> Vec<String> {
    let words = [
        "open-load",
        "--address",
        &address.to_string(),
        "--path",
        path,
        "--rate",
        &rate.to_string(),
        "--clients",
        &connections.to_string(),
        "--seconds",
        &seconds.to_string(),
    ];
    let words = words.into_iter().chain(fresh.then_some("--fresh"));
    words.map(str::to_owned).collect()
}

impl OpenLoad {
    /// Sends, and prints what it found as JSON.
    pub fn run(&self) -> Result<()> {
        let end = Instant::now() + Duration::from_secs(self.seconds);
        let threads: Vec<_> = (0..self.clients)
            .map(|_| {
                let load = self.clone();
                thread::spawn(move || load.client(end))
            })
            .collect();

        let (mut times, mut errors) = (Vec::new(), 0);
        for thread in threads {
            let (own, failed) = thread
                .join()
                .map_err(|_| anyhow::anyhow!("a client panicked"))?;
            times.extend(own);
            errors += failed;
        }
        times.sort_unstable();

        let answered = Answered {
            requests: times.len() as u64,
            errors,
            p50_micros: percentile(&times, 50),
            p99_micros: percentile(&times, 99),
        };
        println!("{}", serde_json::to_string(&answered)?);
        Ok(())
    }

    /// One connection; its times, and how many requests failed.
    fn client(&self, end: Instant) -> (Vec<Duration>, u64) {
        let (mut times, mut errors) = (Vec::new(), 0);
        let mut connection = None;
        let mean = f64::from(self.clients) / self.rate;
        let mut due = Instant::now() + Duration::from_secs_f64(mean * fastrand::f64());

        while due < end {
            let now = Instant::now();
            // Late because of the request before: it began when it was due. Late because
            // the clock woke us late: that is our fault, not the proxy's.
            let began = if now > due {
                due
            } else {
                thread::sleep(due - now);
                Instant::now()
            };
            match self.exchange(&mut connection) {
                Ok(()) => times.push(began.elapsed()),
                Err(_) => {
                    errors += 1;
                    connection = None;
                }
            }
            // As if many clients came independently of each other (a Poisson process).
            due += Duration::from_secs_f64(-mean * (1.0 - fastrand::f64()).ln());
        }
        (times, errors)
    }

    fn exchange(&self, connection: &mut Option<TcpStream>) -> io::Result<()> {
        let stream = match connection.take() {
            Some(stream) => connection.insert(stream),
            None => connection.insert(connect(self.address)?),
        };
        stream
            .write_all(format!("GET /{} HTTP/1.1\r\nHost: bench\r\n\r\n", self.path).as_bytes())?;

        if !read_answer(stream)? || self.fresh {
            *connection = None;
        }
        Ok(())
    }
}

fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    Ok(stream)
}

/// Reads one answer; whether the connection stays open after it.
fn read_answer(stream: &mut TcpStream) -> io::Result<bool> {
    let mut answer = Vec::with_capacity(2048);
    let mut piece = [0; 2048];

    loop {
        let count = stream.read(&mut piece)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        answer.extend_from_slice(&piece[..count]);

        let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
        let Some(end) = end.map(|end| end + 4) else {
            continue;
        };
        let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = length
            .and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| io::Error::other("the answer does not say its length"))?;
        if answer.len() >= end + length {
            return Ok(!head.contains("connection: close"));
        }
    }
}

fn percentile(sorted: &[Duration], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    let time = sorted.get(rank - 1).copied().unwrap_or_default();
    time.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::{Duration, percentile};

    #[test]
    fn percentiles_are_times_that_were_measured() {
        let times: Vec<_> = (1..=200).map(Duration::from_micros).collect();
        assert!((percentile(&times, 50) - 100.0).abs() < 0.01);
        assert!((percentile(&times, 99) - 198.0).abs() < 0.01);
        assert!(percentile(&[], 99) == 0.0);
    }
}
