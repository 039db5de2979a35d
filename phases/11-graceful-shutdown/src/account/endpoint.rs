//! Serves the metrics page to whoever scrapes it: `GET /metrics`, and nothing else.

use std::io;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use prometheus::IntCounterVec;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::accept::Acceptor;

/// Where the metrics are served.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Account")]
pub struct MetricsSettings {
    /// Where Prometheus finds the metrics, under /metrics
    #[arg(id = "metrics", long, value_name = "off|ADDR", default_value = DEFAULT_METRICS)]
    pub address: MetricsAddress,
}

/// Answers scrapers for ever, each with a new `page`.
pub async fn serve(
    listener: TcpListener,
    errors: IntCounterVec,
    page: impl Fn() -> prometheus::Result<String> + Clone + Send + 'static,
) {
    let mut acceptor = Acceptor::new(listener, errors);
    let free = Arc::new(Semaphore::new(MOST_SCRAPERS));

    loop {
        let (scraper, _) = acceptor.next().await;
        let Ok(permit) = Arc::clone(&free).try_acquire_owned() else {
            continue;
        };

        let page = page.clone();
        tokio::spawn(async move {
            // Whatever a scraper does wrong, it is the one who notices.
            let _ = timeout(LIMIT, answer(scraper, page)).await;
            drop(permit);
        });
    }
}

async fn answer(
    mut scraper: TcpStream,
    page: impl Fn() -> prometheus::Result<String>,
) -> io::Result<()> {
    let mut head = Vec::new();
    let status = loop {
        if let Some(status) = judge(&head) {
            break status;
        }
        if scraper.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    };

    let (content_type, body) = if status == "200 OK" {
        let page = page();
        ("text/plain; version=0.0.4", page.map_err(io::Error::other)?)
    } else {
        ("text/plain", format!("{status}\n"))
    };
    let allow = if status.starts_with("405") {
        "Allow: GET\r\n"
    } else {
        ""
    };

    let length = body.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\
         {allow}Connection: close\r\n\r\n{body}"
    );
    scraper.write_all(answer.as_bytes()).await?;
    scraper.shutdown().await?;

    // Closing with bytes unread would reset the connection, and the answer might be
    // lost on its way (RFC 9293, section 3.6.1).
    while scraper.read(&mut [0; 1024]).await? > 0 {}
    Ok(())
}

/// The status for a request, or `None` while its head is not complete.
fn judge(head: &[u8]) -> Option<&'static str> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);

    match request.parse(head) {
        Ok(httparse::Status::Partial) if head.len() < LONGEST_HEAD => return None,
        Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            return Some("431 Request Header Fields Too Large");
        }
        Err(_) => return Some("400 Bad Request"),
        Ok(httparse::Status::Complete(_)) => {}
    }

    let path = request.path.unwrap_or_default();
    Some(match (path.split('?').next(), request.method) {
        (Some("/metrics"), Some("GET")) => "200 OK",
        (Some("/metrics"), _) => "405 Method Not Allowed",
        _ => "404 Not Found",
    })
}

/// Where the metrics are served, if they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricsAddress {
    /// Nowhere.
    Off,

    /// Here.
    At(SocketAddr),
}

impl FromStr for MetricsAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            _ if text == "off" => Ok(Self::Off),
            Ok(address) => Ok(Self::At(address)),
            Err(_) => Err("write off, or an address as 127.0.0.1:9100".to_owned()),
        }
    }
}

/// A scraper needs milliseconds. One that takes longer than this is stuck, and must
/// not hold its slot.
const LIMIT: Duration = Duration::from_secs(5);

/// Prometheus and a few people with `curl`; more than this is a mistake, and must
/// not cost the clients their descriptors.
const MOST_SCRAPERS: usize = 16;

/// In bytes. A head is some hundred.
const LONGEST_HEAD: usize = 8 * 1024;

/// Reachable from this machine only: the page tells a stranger which backends there
/// are. 9100 is where a Prometheus looks that was set up for a host.
const DEFAULT_METRICS: &str = "127.0.0.1:9100";

#[cfg(test)]
mod tests;
