//! A client's socket together with the bytes that have arrived and are not used yet.

use std::io;

use tokio::{io::AsyncWriteExt, net::TcpStream, task};

/// Reads ahead, so that parsers can look at what has arrived before anybody takes it.
pub struct Socket {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Socket {
    /// Nothing is read yet.
    pub fn new(stream: TcpStream) -> Self {
        let buffer = Vec::new();
        Self { stream, buffer }
    }

    /// What has arrived and was not skipped.
    pub fn arrived(&self) -> &[u8] {
        &self.buffer
    }

    /// Waits for more and reads once. Returns false when the client has ended.
    ///
    /// Memory is taken only when there is something to read: a client that says nothing costs its
    /// socket and its task, but no buffer.
    pub async fn fill(&mut self) -> io::Result<bool> {
        if self.buffer.is_empty() {
            self.buffer = Vec::new();
        }
        loop {
            self.stream.readable().await?;
            // Unlike `read`, `try_read` never gives way to other tasks, so a client that always
            // has more to send would keep this thread to itself.
            task::consume_budget().await;
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

    /// Takes `length` bytes off the front and drops them, those that have not arrived yet as soon
    /// as they do. Returns false if the client ends before.
    pub async fn skip(&mut self, mut length: u64) -> io::Result<bool> {
        loop {
            let here = self.buffer.len();
            let part = usize::try_from(length).map_or(here, |length| length.min(here));
            self.buffer.drain(..part);
            length -= part as u64;
            if length == 0 {
                return Ok(true);
            }
            if !self.fill().await? {
                return Ok(false);
            }
        }
    }

    /// Sends all of `bytes`.
    pub async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Sends back all that arrives, and ends when the client has ended, not before.
    pub async fn echo(mut self) -> io::Result<()> {
        loop {
            self.stream.write_all(&self.buffer).await?;
            self.buffer.clear();
            if !self.fill().await? {
                return self.stream.shutdown().await;
            }
        }
    }

    /// Ends this side, then drops what still arrives until the client ends too. To close a socket
    /// with unread bytes is to reset the connection, and a reset can make the client lose an
    /// answer that it has not read yet.
    pub async fn close(mut self) -> io::Result<()> {
        self.stream.shutdown().await?;
        self.skip(u64::MAX).await?;
        Ok(())
    }
}

/// Bytes per read. Less would make a large echo slow; more only weighs on the stack.
const READ_SIZE: usize = 16 * 1024;
