//! Ports that nobody answers on.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use socket2::{Domain, Socket, Type};

/// A port that refuses connections until it is opened, and that nobody else can
/// take in the meantime.
///
/// A socket that is bound and never listens keeps it. Linux lets a listener in
/// beside it because both set `SO_REUSEADDR`.
#[derive(Debug)]
pub struct Door {
    addr: SocketAddr,
    _reservation: Socket,
}

impl Door {
    /// Reserves a port.
    pub fn closed() -> Self {
        let socket = socket(ANY);
        let addr = socket
            .local_addr()
            .expect("a bound socket has an address")
            .as_socket()
            .expect("it is an IP address");
        Self {
            addr,
            _reservation: socket,
        }
    }

    /// Listens on the port.
    pub fn open(&self) -> TcpListener {
        let socket = socket(self.addr);
        // A queue that overflows looks like a backend that does not answer.
        socket.listen(1024).expect("a bound socket can listen");
        socket.into()
    }

    /// The address, whether it is open or not.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

/// An address that does not answer at all: not even a refusal comes.
///
/// The queue of connections that nobody accepts is full, so Linux drops each
/// further SYN, as a network does when a host is gone.
#[derive(Debug)]
pub struct Blackhole {
    addr: SocketAddr,
    _listener: Socket,
    _queue: Vec<TcpStream>,
}

impl Blackhole {
    /// Fills the queue of a listener.
    pub fn open() -> Self {
        let listener = socket(ANY);
        listener.listen(0).expect("a bound socket can listen");
        let addr = listener
            .local_addr()
            .expect("a bound socket has an address")
            .as_socket()
            .expect("it is an IP address");

        let mut queue = Vec::new();
        loop {
            match TcpStream::connect_timeout(&addr, Duration::from_millis(100)) {
                Ok(stream) => queue.push(stream),
                Err(error) if error.kind() == ErrorKind::TimedOut => break,
                Err(error) => panic!("cannot fill the queue of a listener: {error}"),
            }
        }
        Self {
            addr,
            _listener: listener,
            _queue: queue,
        }
    }

    /// The address that does not answer.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

/// A port on loopback that is free.
const ANY: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

fn socket(addr: SocketAddr) -> Socket {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a new socket");
    socket
        .set_reuse_address(true)
        .expect("a new socket takes options");
    socket
        .bind(&addr.into())
        .expect("the port is free or reserved for us");
    socket
}
