//! What a run can talk to: backends of phase 00, and addresses that misbehave.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use testkit::backend::Backend;
use testkit::door::{Blackhole, Door};

use super::child::Child;

/// Started when it is first named, ended with the run.
pub struct Cast<'a> {
    binaries: &'a BTreeMap<String, PathBuf>,
    backends: BTreeMap<String, (String, Option<Child>)>,
    doors: Vec<Door>,
    blackhole: Option<Blackhole>,
    scripted: Vec<Backend>,
}

impl<'a> Cast<'a> {
    /// Nobody yet.
    pub fn new(binaries: &'a BTreeMap<String, PathBuf>) -> Self {
        Self {
            binaries,
            backends: BTreeMap::new(),
            doors: Vec::new(),
            blackhole: None,
            scripted: Vec::new(),
        }
    }

    /// The address of whoever is called so.
    pub fn address(&mut self, name: &str) -> Result<String> {
        let address = match name {
            // Commands may listen on the other two, and `listen` is free while no program has it.
            "refused" | "spare" | "listen" => {
                let door = Door::closed();
                let address = door.addr();
                self.doors.push(door);
                address
            }
            "blackhole" => self.blackhole.get_or_insert_with(Blackhole::open).addr(),
            "silent" | "hangup" | "impatient" | "greeter" | "single" => {
                let backend = match name {
                    // Stays even when the client has ended, unlike the testkit's.
                    "silent" => Backend::start(|peer, _| {
                        peer.hear_all();
                        loop {
                            thread::park();
                        }
                    }),
                    "hangup" => Backend::hanging_up(),
                    "impatient" => Backend::start(|peer, _| {
                        let patience = Some(Duration::from_millis(300));
                        answer(peer.stream(), patience, "an impatient backend");
                    }),
                    "single" => {
                        let turn = Mutex::new(());
                        Backend::start(move |peer, _| {
                            let _turn = turn.lock();
                            answer(peer.stream(), None, "a backend for one at a time");
                        })
                    }
                    _ => Backend::start(|peer, number| {
                        peer.say(format!("welcome, you are on connection {}\n", number + 1));
                        peer.hear_all();
                    }),
                };
                let address = backend.addr();
                self.scripted.push(backend);
                address
            }
            "metrics" => {
                bail!("there is no metrics address before the program has started")
            }
            backend => {
                self.backends
                    .insert(backend.to_owned(), (ANY.to_owned(), None));
                self.start(backend)?;
                return Ok(self.backends[backend].0.clone());
            }
        };
        Ok(address.to_string())
    }

    /// Ends a backend; its port refuses then.
    pub fn stop(&mut self, name: &str) -> Result<()> {
        let backend = self.backends.get_mut(name);
        let (_, running) = backend.with_context(|| format!("{name} does not run"))?;
        *running = None;
        Ok(())
    }

    /// Starts a backend, on the port that it had.
    pub fn start(&mut self, name: &str) -> Result<()> {
        let binary = self.binaries.get("00").context("there is no phase 00")?;
        let backend = self.backends.get_mut(name);
        let (address, running) = backend.with_context(|| format!("{name} was never there"))?;
        // The number of a backend is its place among the addresses, so backend 2 has one before it
        // that nobody uses.
        let number: usize = name
            .trim_start_matches("backend")
            .parse()
            .context("a backend has a number")?;
        let mut arguments = Vec::new();
        for place in 1..=number {
            let address = if place == number {
                address.as_str()
            } else {
                ANY
            };
            arguments.extend(["--listen".to_owned(), address.to_owned()]);
        }
        let child = Child::start(binary, &arguments)?;
        let greeting = format!("backend {number} listening on ");
        let lines = child
            .greeting(&greeting)
            .context("a backend does not start")?;
        let line = lines.last().and_then(|line| line.strip_prefix(&greeting));
        *address = line.context("a backend says where it listens")?.to_owned();
        *running = Some(child);
        Ok(())
    }
}

/// Answers one request, if it comes in time.
fn answer(stream: &TcpStream, patience: Option<Duration>, who: &str) {
    let mut reader = BufReader::new(stream);
    let _ = stream.set_read_timeout(patience);
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|count| count > 0) {
        if line.trim_end().is_empty() {
            let body = format!("hello from {who}\n");
            let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length:";
            let _ = write!(&*stream, "{head} {}\r\n\r\n{body}", body.len());
            return;
        }
        line.clear();
    }
}

const ANY: &str = "127.0.0.1:0";
