//! A client of a few lines: fetches one page and closes.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Fetches `/PATH` and returns the body.
pub async fn get(address: SocketAddr, path: &str) -> Result<Vec<u8>> {
    match timeout(LIMIT, exchange(address, path)).await {
        Ok(body) => body.with_context(|| format!("GET /{path} from {address}")),
        Err(_) => bail!("GET /{path} from {address} had no answer within {LIMIT:?}"),
    }
}

/// The value of a metric without labels on a page in Prometheus' format.
pub async fn metric(address: SocketAddr, name: &str) -> Result<f64> {
    let page = String::from_utf8(get(address, "metrics").await?)?;
    let mut lines = page.lines().filter_map(|line| line.split_once(' '));
    let (_, value) = lines
        .find(|(key, _)| *key == name)
        .with_context(|| format!("there is no {name} on the metrics page"))?;
    value
        .parse()
        .with_context(|| format!("the value of {name}"))
}

async fn exchange(address: SocketAddr, path: &str) -> Result<Vec<u8>> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /{path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;

    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;

    let end = answer.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.context("the answer has no head")? + 4;
    let status = String::from_utf8_lossy(&answer[..answer.len().min(12)]).into_owned();
    ensure!(
        status.ends_with(" 200"),
        "the answer begins with {status:?}"
    );
    Ok(answer.split_off(end))
}

/// Also for the largest file on a busy machine.
const LIMIT: Duration = Duration::from_secs(30);
