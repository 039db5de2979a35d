//! One phase's program, and which flags it knows.

use std::cell::RefCell;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;

use crate::backend::Backend;
use crate::peer::Peer;
use crate::program::Program;
use crate::record::Record;

/// The program of one phase, or a reader's own in its place.
#[derive(Debug)]
pub struct Phase {
    /// The step that the program claims to be at.
    pub number: u8,
    /// A flag that is set whenever a behaviour does not set it.
    pub always: Option<(&'static str, &'static str)>,
    binary: PathBuf,
    logs: RefCell<Vec<Arc<Record<String>>>>,
}

impl Phase {
    /// The program `binary`, to be judged as phase `number`.
    pub fn new(number: u8, binary: impl Into<PathBuf>) -> Self {
        Self {
            number,
            always: None,
            binary: binary.into(),
            logs: RefCell::default(),
        }
    }

    /// Where the program is.
    pub fn binary(&self) -> &Path {
        &self.binary
    }

    /// Whether the phase knows `flag`.
    pub fn knows(&self, flag: &str) -> bool {
        let (_, since) = FLAGS
            .iter()
            .find(|(known, _)| *known == flag)
            .unwrap_or_else(|| panic!("no phase has {flag}"));
        self.number >= *since
    }

    /// Prepares a start on a free port. What would disturb an observation is off
    /// unless the behaviour sets it: checks, the pool, the fixed metrics port. There are
    /// two workers, whatever the machine has.
    pub fn proxy(&self) -> Start<'_> {
        let start = Start {
            phase: self,
            limits: None,
            stdout: None,
            stderr: None,
            arguments: Vec::new(),
        };
        let start = self
            .always
            .into_iter()
            .fold(start, |start, (flag, value)| start.flag(flag, value));

        start
            .flag("--listen", "127.0.0.1:0")
            .flag("--health-interval", NEVER)
            .flag("--pool-size", "0")
            .flag("--metrics", "off")
            .flag("--workers", 2)
    }
}

impl Drop for Phase {
    /// A test that fails shows what the program said.
    fn drop(&mut self) {
        if thread::panicking() {
            for log in self.logs.borrow().iter() {
                log.look(|lines| {
                    eprintln!("--- the program's log:");
                    lines
                        .iter()
                        .take(MOST_LINES)
                        .for_each(|line| eprintln!("{line}"));
                });
            }
        }
    }
}

/// A start that is being prepared.
#[derive(Debug)]
pub struct Start<'a> {
    phase: &'a Phase,
    limits: Option<(u32, u32)>,
    stdout: Option<Stdio>,
    stderr: Option<Stdio>,
    arguments: Vec<(String, String)>,
}

impl Start<'_> {
    /// Adds a backend.
    pub fn backend(self, backend: impl Display) -> Self {
        self.repeat("--backend", backend)
    }

    /// Sets a flag. A phase that does not know it yet does not get it.
    pub fn flag(mut self, flag: &str, value: impl Display) -> Self {
        if self.phase.knows(flag) {
            self.arguments.retain(|(set, _)| set != flag);
            self.arguments.push((flag.into(), value.to_string()));
        }
        self
    }

    /// Adds a flag that may be given several times.
    pub fn repeat(mut self, flag: &str, value: impl Display) -> Self {
        if self.phase.knows(flag) {
            self.arguments.push((flag.into(), value.to_string()));
        }
        self
    }

    /// Lets the program have so many descriptors, and raise that up to `hard` itself.
    pub fn descriptors(mut self, soft: u32, hard: u32) -> Self {
        self.limits = Some((soft, hard));
        self
    }

    /// Sends what it prints elsewhere: it cannot be looked at.
    pub fn print_to(mut self, stdout: Stdio) -> Self {
        self.stdout = Some(stdout);
        self
    }

    /// Sends its log elsewhere: it cannot be looked at.
    pub fn log_to(mut self, stderr: Stdio) -> Self {
        self.stderr = Some(stderr);
        self
    }

    /// Starts the program.
    pub fn start(self) -> Program {
        let mut command = match self.limits {
            None => Command::new(&self.phase.binary),
            Some((soft, hard)) => {
                let limits = format!("ulimit -Sn {soft}; ulimit -Hn {hard}; exec \"$@\"");
                let mut shell = Command::new("sh");
                shell.args(["-c", &limits, "sh"]).arg(&self.phase.binary);
                shell
            }
        };
        for (flag, value) in &self.arguments {
            command.arg(flag).arg(value);
        }

        let program = Program::spawn_with(&mut command, self.stdout, self.stderr);
        self.phase.logs.borrow_mut().push(program.log());
        program
    }
}

impl Start<'_> {
    /// Starts the program with one backend and one client, and returns both ends of
    /// the connection: the client's and the backend's.
    pub fn dialogue(self) -> (Program, Peer, Peer) {
        let backend = Backend::meeting();
        let program = self.backend(backend.addr()).start();
        let client = Peer::connect(program.addr());
        let server = backend.next();
        (program, client, server)
    }
}

/// Which phase brought which flag.
const FLAGS: &[(&str, u8)] = &[
    ("--listen", 1),
    ("--backend", 1),
    ("--balance", 2),
    ("--health-interval", 3),
    ("--health-timeout", 3),
    ("--rise", 3),
    ("--fall", 3),
    ("--connect-timeout", 4),
    ("--attempts", 4),
    ("--pool-size", 5),
    ("--max-connections", 6),
    ("--rate-limit", 6),
    ("--rate-burst", 6),
    ("--idle-timeout", 6),
    ("--half-close-timeout", 6),
    ("--proxy-protocol", 7),
    ("--metrics", 8),
    ("--log-format", 8),
    ("--fault-delay", 9),
    ("--fault-disconnect", 9),
    ("--fault-seed", 9),
    ("--sni", 10),
    ("--sni-peek-timeout", 10),
    ("--drain-timeout", 11),
    ("--splice", 14),
    ("--workers", 15),
    ("--pool-max-idle", 16),
    ("--config", 17),
    ("--accept-proxy", 18),
    ("--discover", 18),
];

/// A day and more: the first check comes at a random moment within the interval,
/// and should not come during a test.
const NEVER: &str = "100000s";

/// A log that tells more than this tells the same again and again.
const MOST_LINES: usize = 60;
