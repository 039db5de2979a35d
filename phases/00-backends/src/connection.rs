//! One connection, from its first byte to its end.
//!
//! The first bytes decide what it is, and it stays that: an optional PROXY header says for whom
//! the connection is, then come either HTTP requests or bytes to be echoed.

#[cfg(test)]
mod tests;

use std::{io, net::SocketAddr};

use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::{
    http::{self, Request},
    proxy::{self, Answer},
};

/// Serves one client until either side ends the connection.
pub async fn serve(stream: TcpStream, peer: SocketAddr, greeting: &str) -> io::Result<()> {
    // Each answer is one write. Without this, the second answer to pipelined requests would wait
    // until the client acknowledges the first, and the client delays its acknowledgement.
    stream.set_nodelay(true)?;
    let mut connection = Connection {
        stream,
        buffer: Vec::new(),
    };

    let client = connection.identify(peer).await?;
    if connection.speaks_http().await? {
        let line = format!("{greeting}, you are {client}\n");
        connection.answer(&line).await
    } else {
        connection.echo().await
    }
}

struct Connection {
    stream: TcpStream,
    /// What has arrived and is not consumed yet. It never holds more than the largest head that
    /// is accepted and one read, because every wait for more has a limit.
    buffer: Vec<u8>,
}

impl Connection {
    /// Takes a PROXY header from the front, if there is one, and tells who the client is.
    async fn identify(&mut self, peer: SocketAddr) -> io::Result<String> {
        let peer = proxy::unmapped(peer);
        loop {
            match proxy::parse(&self.buffer) {
                Answer::NeedMore if self.fill().await? => {}
                Answer::NeedMore | Answer::NotThis => return Ok(peer.to_string()),
                Answer::Parsed(header) => {
                    self.buffer.drain(..header.length);
                    let version = header.version;
                    return Ok(match header.client {
                        Some(client) => format!("{client} (PROXY v{version})"),
                        None => format!("{peer} (PROXY v{version} without address)"),
                    });
                }
            }
        }
    }

    /// Waits until the bytes say whether they are HTTP. A client that ends before they do has
    /// sent no request.
    async fn speaks_http(&mut self) -> io::Result<bool> {
        loop {
            match http::is_request(&self.buffer) {
                Some(decided) => return Ok(decided),
                None if self.fill().await? => {}
                None => return Ok(false),
            }
        }
    }

    /// Answers requests with `line`, one after the other, until the client has had enough.
    async fn answer(mut self, line: &str) -> io::Result<()> {
        loop {
            let request = match http::parse(&self.buffer) {
                Ok(Some(request)) => request,
                Ok(None) if self.fill().await? => continue,
                Ok(None) if self.buffer.trim_ascii().is_empty() => return self.close().await,
                Ok(None) => return self.refuse(http::BAD_REQUEST).await,
                Err(status) => return self.refuse(status).await,
            };
            if !self.skip(&request).await? {
                return self.refuse(http::BAD_REQUEST).await;
            }

            let mut response = http::response("200 OK", line, request.keep_alive);
            if request.is_head {
                response.truncate(response.len() - line.len());
            }
            self.stream.write_all(response.as_bytes()).await?;
            if !request.keep_alive {
                return self.close().await;
            }
        }
    }

    /// Drops a request, head and body, from the front. Returns false if the client ended within.
    async fn skip(&mut self, request: &Request) -> io::Result<bool> {
        self.buffer.drain(..request.head_length);
        if request.expects_continue {
            self.stream.write_all(http::CONTINUE).await?;
        }

        let mut left = request.body_length;
        loop {
            let arrived =
                usize::try_from(left).map_or(self.buffer.len(), |left| left.min(self.buffer.len()));
            self.buffer.drain(..arrived);
            left -= arrived as u64;
            if left == 0 {
                return Ok(true);
            }
            if !self.fill().await? {
                return Ok(false);
            }
        }
    }

    /// Answers with an error and ends: after a malformed head nobody knows where the next begins.
    async fn refuse(mut self, status: &str) -> io::Result<()> {
        let response = http::response(status, &format!("{status}\n"), false);
        self.stream.write_all(response.as_bytes()).await?;
        self.close().await
    }

    /// Sends everything back; when the client has ended, and only then, ends too.
    async fn echo(mut self) -> io::Result<()> {
        loop {
            self.stream.write_all(&self.buffer).await?;
            self.buffer.clear();
            if !self.fill().await? {
                return self.stream.shutdown().await;
            }
        }
    }

    /// Ends this side first, then reads until the client ends too. Closing a socket with unread
    /// bytes resets the connection, and a reset can overtake the answer on its way to the client.
    async fn close(mut self) -> io::Result<()> {
        self.stream.shutdown().await?;
        self.buffer.clear();
        while self.fill().await? {
            self.buffer.clear();
        }
        Ok(())
    }

    /// Reads once and appends what comes. Returns false when the client has ended.
    ///
    /// The memory for the read is on the stack and taken only when there is something to read:
    /// a client that says nothing costs its socket and this task, but no buffer.
    async fn fill(&mut self) -> io::Result<bool> {
        if self.buffer.is_empty() {
            self.buffer = Vec::new();
        }
        loop {
            self.stream.readable().await?;
            let mut chunk = [0; READ_SIZE];
            match self.stream.try_read(&mut chunk) {
                Ok(count) => {
                    self.buffer.extend_from_slice(&chunk[..count]);
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Bytes per read. Less makes echoing much data slow, more only burdens the stack.
const READ_SIZE: usize = 16 * 1024;
