use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    time::Duration,
};

const BINARY: &str = env!("CARGO_BIN_EXE_phase-00");

/// A running program that ends with its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It fails only if the program has ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the program and reads one address for each that it was asked for.
fn run(command: &mut Command, count: usize) -> (Running, Vec<SocketAddr>) {
    let mut running = Running(command.stdout(Stdio::piped()).spawn().unwrap());
    let stdout = running.0.stdout.take().unwrap();
    let addresses = (1..)
        .zip(BufReader::new(stdout).lines().take(count))
        .map(|(number, line)| {
            let line = line.unwrap();
            let address = line.strip_prefix(&format!("backend {number} listening on "));
            address
                .unwrap_or_else(|| panic!("unexpected {line:?}"))
                .parse()
                .unwrap()
        })
        .collect();
    (running, addresses)
}

fn ask(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n").unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn it_listens_where_it_is_told_and_says_where_that_is() {
    let listen = ["--listen", "127.0.0.1:0", "--listen", "127.0.0.2:0"];
    let (_running, addresses) = run(Command::new(BINARY).args(listen), 2);
    for (number, address) in (1..).zip(addresses) {
        let hello = format!("hello from backend {number} ({address}), you are ");
        assert!(ask(address).contains(&hello));
    }
}

#[test]
fn an_ipv4_client_of_an_ipv6_listener_keeps_its_address() {
    if TcpListener::bind("[::]:0").is_err() {
        return; // A machine without IPv6 cannot mistake one for the other.
    }
    let (_running, addresses) = run(Command::new(BINARY).args(["--listen", "[::]:0"]), 1);
    let answer = ask(([127, 0, 0, 1], addresses[0].port()).into());
    assert!(answer.contains("you are 127.0.0.1:"), "{answer}");
}

#[test]
fn an_address_in_use_is_one_line_and_exit_code_1() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    assert_cmd::Command::new(BINARY)
        .args(["--listen", "127.0.0.1:0", "--listen", &address])
        .assert()
        .code(1)
        .stdout("")
        .stderr(format!(
            "error: cannot listen on {address}: Address already in use (os error 98); \
             choose another with --listen\n"
        ));
}

#[test]
fn a_mistake_in_the_command_is_exit_code_2() {
    for arguments in [["--listen", "nowhere"], ["--lisen", "127.0.0.1:0"]] {
        assert_cmd::Command::new(BINARY)
            .args(arguments)
            .assert()
            .code(2)
            .stdout("");
    }
}

#[test]
fn it_survives_running_out_of_file_descriptors() {
    let few = "ulimit -n 24 && exec \"$0\" --listen 127.0.0.1:0";
    let (_running, addresses) = run(Command::new("sh").args(["-c", few, BINARY]), 1);
    let crowd: Vec<_> = (0..50)
        .map(|_| TcpStream::connect(addresses[0]).unwrap())
        .collect();

    // Each of these is either served or left in the queue. Once they are gone, others have room.
    drop(crowd);
    assert!(ask(addresses[0]).contains("hello from backend 1"));
}
