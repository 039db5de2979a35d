//! A backend that answers every request with the same small file: where nginx would
//! have to listen at an address that is there for one case only.

use std::io;
use std::net::SocketAddr;

use anyhow::{Context, Result};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::case::Body;

/// The command line of the backend.
#[derive(Debug, clap::Args)]
pub struct Respond {
    /// Where to accept clients
    #[arg(long, required = true)]
    listen: Vec<SocketAddr>,
}

impl Respond {
    /// Answers until it is killed.
    pub fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            let mut accepting = JoinSet::new();
            for address in self.listen {
                let listener = TcpListener::bind(address)
                    .await
                    .with_context(|| format!("cannot listen on {address}"))?;
                println!("listening on {}", listener.local_addr()?);
                accepting.spawn(accept(listener));
            }
            accepting.join_all().await;
            Ok(())
        })
    }
}

async fn accept(listener: TcpListener) {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream));
        }
    }
}

/// A PROXY header may come first, and is passed over.
async fn answer(mut stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let body = Body::Small.content();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n", body.len());

    let mut request = Vec::new();
    while stream.read_buf(&mut request).await? > 0 {
        let start = find(&request, b"GET ").unwrap_or(request.len());
        if find(&request[start..], b"\r\n\r\n").is_some() {
            let closes = find(&request, b"Connection: close").is_some();
            let end = if closes { CLOSE } else { b"\r\n" };
            let answer = [head.as_bytes(), end, &body].concat();
            stream.write_all(&answer).await?;
            if closes {
                return Ok(());
            }
            request.clear();
        }
    }
    Ok(())
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

const CLOSE: &[u8] = b"Connection: close\r\n\r\n";
