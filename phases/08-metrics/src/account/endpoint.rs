//! Serves the metrics page to whoever scrapes it: `GET /metrics`, and nothing else.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::accept::Acceptor;
use crate::proxy::Proxy;

/// Answers scrapers for ever.
pub async fn serve(listener: TcpListener, proxy: Arc<Proxy>) {
    let mut acceptor = Acceptor::new(listener, proxy.metrics.accept_errors.clone());
    let free = Arc::new(Semaphore::new(MOST_SCRAPERS));

    loop {
        let (scraper, _) = acceptor.next().await;
        let Ok(permit) = Arc::clone(&free).try_acquire_owned() else {
            continue;
        };

        let proxy = Arc::clone(&proxy);
        tokio::spawn(async move {
            // Whatever a scraper does wrong, it is the one who notices.
            let _ = timeout(LIMIT, answer(scraper, &proxy)).await;
            drop(permit);
        });
    }
}

async fn answer(mut scraper: TcpStream, proxy: &Proxy) -> io::Result<()> {
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
        let page = proxy.metrics.render(&proxy.backends);
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

/// A scraper needs milliseconds. One that takes longer than this is stuck, and must
/// not hold its slot.
const LIMIT: Duration = Duration::from_secs(5);

/// Prometheus and a few people with `curl`; more than this is a mistake, and must
/// not cost the clients their descriptors.
const MOST_SCRAPERS: usize = 16;

/// In bytes. A head is some hundred.
const LONGEST_HEAD: usize = 8 * 1024;

#[cfg(test)]
mod tests;
