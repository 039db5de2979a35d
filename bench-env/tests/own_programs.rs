//! The programs of ours that stand beside those of others: the relay without features,
//! the load at a fixed rate, the backend with one file.

#![expect(clippy::unwrap_used, reason = "a test may panic, and then says where")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use bench_env::open_load::{Answered, arguments};

struct Floor {
    program: Child,

    address: SocketAddr,
}

impl Floor {
    fn start(backend: SocketAddr, more: &[&str]) -> Self {
        let address = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap();
        let program = Command::new(env!("CARGO_BIN_EXE_bench-env"))
            .args([
                "floor",
                "--listen",
                &address.to_string(),
                "--backend",
                &backend.to_string(),
            ])
            .args(more)
            .spawn()
            .unwrap();
        Self { program, address }
    }

    fn connect(&self) -> TcpStream {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            match TcpStream::connect(self.address) {
                Ok(stream) => return stream,
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

/// More than all buffers on the way hold, in both directions, and an end of stream that
/// must not cut the other direction off.
#[test]
fn the_floor_keeps_every_byte() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let floor = Floor::start(listener.local_addr().unwrap(), &[]);
    let backend = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut received = Vec::new();
        stream.read_to_end(&mut received).unwrap();
        stream.write_all(&received).unwrap();
    });

    let sent: Vec<u8> = (0..8_000_000_u32)
        .map(|n| n.to_le_bytes()[0] ^ n.to_le_bytes()[1])
        .collect();
    let mut client = floor.connect();
    client.write_all(&sent).unwrap();
    client.shutdown(Shutdown::Write).unwrap();
    let mut received = Vec::new();
    client.read_to_end(&mut received).unwrap();

    assert!(
        received == sent,
        "{} of {} bytes, or others",
        received.len(),
        sent.len()
    );
    backend.join().unwrap();
}

#[test]
fn the_floor_announces_the_client() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let floor = Floor::start(listener.local_addr().unwrap(), &["--announce"]);
    let client = floor.connect();
    let (mut stream, _) = listener.accept().unwrap();

    let mut header = [0; 28];
    stream.read_exact(&mut header).unwrap();
    assert_eq!(header[..16], *b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0c");
    assert_eq!(header[16..24], [127, 0, 0, 1, 127, 0, 0, 1]);
    assert_eq!(
        header[24..26],
        client.local_addr().unwrap().port().to_be_bytes()
    );
    assert_eq!(header[26..], floor.address.port().to_be_bytes());
}

/// A server that stalls once holds up all requests that were due meanwhile. A closed
/// loop would see one slow request; here they all are.
#[test]
fn a_stall_counts_for_every_request_that_it_held_up() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut request, mut count) = ([0; 1024], 0);
        while stream.read(&mut request).is_ok_and(|length| length > 0) {
            count += 1;
            if count == 10 {
                thread::sleep(Duration::from_millis(1400));
            }
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                .unwrap();
        }
    });

    let output = Command::new(env!("CARGO_BIN_EXE_bench-env"))
        .args(arguments(address, "small", 100.0, 1, 2, false))
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let answered: Answered = serde_json::from_slice(&output.stdout).unwrap();

    assert_eq!(answered.errors, 0);
    assert!((100..300).contains(&answered.requests), "{answered:?}");
    // Most of the two seconds are under the stall, so the median is too.
    assert!(answered.p99_micros > 800_000.0, "{answered:?}");
    assert!(answered.p50_micros > 1_000.0, "{answered:?}");
}

#[test]
fn a_fresh_load_has_a_connection_for_each_request() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        // Each connection gets one answer, and is then not read any more.
        for stream in listener.incoming() {
            let (mut stream, mut request) = (stream.unwrap(), [0; 1024]);
            let _ = stream.read(&mut request);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    });

    let output = Command::new(env!("CARGO_BIN_EXE_bench-env"))
        .args(arguments(address, "small", 100.0, 1, 1, true))
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    let answered: Answered = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answered.errors, 0);
    assert!(answered.requests > 1, "{answered:?}");
}

#[test]
fn the_backend_passes_over_a_proxy_header() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_bench-env"))
        .args(["respond", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(program.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line.trim().strip_prefix("listening on ").unwrap();

    let header =
        b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x0c\x7f\x00\x00\x01\x7f\x00\x00\x01\x00\x01\x00\x02";
    let request = b"GET /small HTTP/1.1\r\nConnection: close\r\n\r\n";
    for before in [&header[..], b""] {
        let mut client = TcpStream::connect(address).unwrap();
        client.write_all(&[before, request].concat()).unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\nContent-Length: 612\r\n"));
    }

    program.kill().unwrap();
    program.wait().unwrap();
}
