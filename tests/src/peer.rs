//! One end of a connection, as a dialogue: say, hear, finish, break off.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use socket2::{Domain, SockRef, Socket, Type};

use crate::record::DEADLINE;

/// A client towards the proxy, or a backend's side of one connection.
#[derive(Debug)]
pub struct Peer {
    stream: TcpStream,
}

impl Peer {
    /// Connects from any address.
    pub fn connect(addr: SocketAddr) -> Self {
        Self::new(TcpStream::connect_timeout(&addr, DEADLINE).expect("the proxy accepts clients"))
    }

    /// Connects from one loopback address: the whole of 127.0.0.0/8 is ours.
    pub fn connect_from(source: IpAddr, addr: SocketAddr) -> Self {
        let socket =
            Socket::new(Domain::for_address(addr), Type::STREAM, None).expect("a new socket");
        socket
            .bind(&SocketAddr::new(source, 0).into())
            .expect("a loopback address can be bound");
        socket
            .connect_timeout(&addr.into(), DEADLINE)
            .expect("the proxy accepts clients");
        Self::new(socket.into())
    }

    pub(crate) fn new(stream: TcpStream) -> Self {
        stream
            .set_nodelay(true)
            .expect("a new socket takes options");
        Self { stream }
    }

    /// Sends bytes. If the connection is gone they are lost, as in real life:
    /// whoever should have heard them notices.
    pub fn say(&self, bytes: impl AsRef<[u8]>) -> &Self {
        let _ = (&self.stream).write_all(bytes.as_ref());
        self
    }

    /// Says that nothing more will be sent (FIN), and still listens.
    pub fn finish(&self) -> &Self {
        let _ = self.stream.shutdown(Shutdown::Write);
        self
    }

    /// Breaks the connection off (RST).
    pub fn reset(self) {
        let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }

    /// Waits for `count` bytes; fewer if the connection ends before.
    pub fn hear(&self, count: usize) -> Vec<u8> {
        let mut heard = Vec::new();
        self.listen_for(DEADLINE);
        let _ = (&self.stream).take(count as u64).read_to_end(&mut heard);
        heard
    }

    /// Waits for a line and returns it without its end, or how the connection
    /// ended instead.
    pub fn hear_line(&self, within: Duration) -> Result<String, End> {
        let mut line = Vec::new();
        let deadline = Instant::now() + within;
        loop {
            match self.read(1, deadline) {
                Ok(byte) if byte == b"\n" => return Ok(String::from_utf8_lossy(&line).into()),
                Ok(byte) => line.extend(byte),
                Err(end) => return Err(end),
            }
        }
    }

    /// Hears everything until the end.
    pub fn hear_all(&self) -> (Vec<u8>, End) {
        self.hear_all_within(DEADLINE)
    }

    /// Hears everything until the end or until the time is up.
    pub fn hear_all_within(&self, within: Duration) -> (Vec<u8>, End) {
        let mut heard = Vec::new();
        let deadline = Instant::now() + within;
        loop {
            match self.read(64 * 1024, deadline) {
                Ok(bytes) => heard.extend(bytes),
                Err(end) => return (heard, end),
            }
        }
    }

    /// Waits for the end, whatever comes before it.
    pub fn end_within(&self, within: Duration) -> End {
        self.hear_all_within(within).1
    }

    fn read(&self, most: usize, deadline: Instant) -> Result<Vec<u8>, End> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.listen_for(left.max(Duration::from_millis(1)));

        let mut bytes = vec![0; most];
        match (&self.stream).read(&mut bytes) {
            Ok(0) => Err(End::Closed),
            Ok(count) => {
                bytes.truncate(count);
                Ok(bytes)
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Err(End::StillOpen)
            }
            Err(_) => Err(End::Reset),
        }
    }

    fn listen_for(&self, time: Duration) {
        self.stream
            .set_read_timeout(Some(time))
            .expect("an open socket takes options");
    }

    /// This end's address.
    pub fn local_addr(&self) -> SocketAddr {
        self.stream.local_addr().expect("a bound socket has one")
    }

    /// The socket itself, for what only one behaviour needs.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }
}

/// How a connection ended, as one side sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The other side has said that it is done (FIN).
    Closed,
    /// The other side has broken off (RST).
    Reset,
    /// It has not ended while we waited.
    StillOpen,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Closed => "closed",
            Self::Reset => "reset",
            Self::StillOpen => "still open",
        })
    }
}
