//! A running program: its addresses, its log, its end.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};

use crate::record::{DEADLINE, Record};

/// The program under test. Dropping it kills it.
#[derive(Debug)]
pub struct Program {
    child: Child,
    stdout: Arc<Record<String>>,
    stderr: Arc<Record<String>>,
}

impl Program {
    /// Starts the program; it may still end at once, with an error.
    pub fn spawn(command: &mut Command) -> Self {
        Self::spawn_with(command, None, None)
    }

    /// The same, with its output sent elsewhere, if that is wanted.
    pub fn spawn_with(command: &mut Command, stdout: Option<Stdio>, stderr: Option<Stdio>) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(stdout.unwrap_or_else(Stdio::piped))
            .stderr(stderr.unwrap_or_else(Stdio::piped))
            .env("RUST_LOG", "info")
            .env("NO_COLOR", "1")
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));

        let stdout = record(child.stdout.take());
        let stderr = record(child.stderr.take());
        Self {
            child,
            stdout,
            stderr,
        }
    }

    /// Where it listens, as its first line says.
    pub fn addr(&self) -> SocketAddr {
        self.announced("listening on ")
            .parse()
            .expect("`listening on` is followed by an address")
    }

    /// The same if it listens at several places, in the order of their flags.
    pub fn addrs<const N: usize>(&self) -> [SocketAddr; N] {
        let addrs = self.stdout.wait(DEADLINE, |lines| {
            let addrs = lines.iter().filter_map(|line| {
                let addr = line.strip_prefix("listening on ")?.parse();
                Some(addr.expect("`listening on` is followed by an address"))
            });
            addrs.collect::<Vec<_>>().try_into().ok()
        });
        addrs.unwrap_or_else(|| panic!("the program did not print {N} addresses"))
    }

    /// Where its metrics are.
    pub fn metrics_url(&self) -> String {
        self.announced("metrics on ")
    }

    fn announced(&self, what: &str) -> String {
        self.stdout
            .wait(DEADLINE, |lines| {
                lines
                    .iter()
                    .find_map(|line| Some(line.strip_prefix(what)?.to_owned()))
            })
            .unwrap_or_else(|| panic!("the program did not print `{what}…`"))
    }

    /// Waits for a log line that holds all of `parts`, and returns it.
    pub fn wait_log(&self, parts: &[&str]) -> String {
        self.find_log(parts)
            .unwrap_or_else(|| panic!("no log line with {parts:?}"))
    }

    /// Whether a log line that holds all of `parts` is there or still comes.
    pub fn finds_log(&self, parts: &[&str]) -> bool {
        self.find_log(parts).is_some()
    }

    /// The first log line that holds all of `parts`, if there is one or one comes.
    pub fn find_log(&self, parts: &[&str]) -> Option<String> {
        self.stderr.wait(DEADLINE, |lines| {
            let mut lines = lines.iter();
            lines.find(|line| holds(line, parts)).cloned()
        })
    }

    /// How many log lines so far hold all of `parts`.
    pub fn count_log(&self, parts: &[&str]) -> usize {
        self.stderr
            .look(|lines| lines.iter().filter(|line| holds(line, parts)).count())
    }

    /// What it wrote to standard output.
    pub fn stdout(&self) -> Arc<Record<String>> {
        Arc::clone(&self.stdout)
    }

    /// What it wrote to standard error.
    pub fn log(&self) -> Arc<Record<String>> {
        Arc::clone(&self.stderr)
    }

    /// How long it has kept a processor busy, all its threads together.
    pub fn cpu_time(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))
            .expect("the child is not reaped yet, so it has an entry");
        let (_, time) = name_and_time(&stat);
        time
    }

    /// The names of its threads, and how long each has kept a processor busy.
    pub fn threads(&self) -> Vec<(String, Duration)> {
        let folder = fs::read_dir(format!("/proc/{}/task", self.child.id()))
            .expect("the child is not reaped yet, so it has an entry");
        let stats =
            folder.filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("stat")).ok());
        stats.map(|stat| name_and_time(&stat)).collect()
    }

    /// How many bytes of memory it has now.
    pub fn memory(&self) -> usize {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))
            .expect("the child is not reaped yet, so it has an entry");
        let size = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kibibytes =
            size.and_then(|size| size.trim().strip_suffix(" kB")?.parse::<usize>().ok());
        1024 * kibibytes.expect("a living process has memory")
    }

    /// How many of its descriptors are ends of pipes.
    pub fn pipes(&self) -> usize {
        self.descriptors()
            .filter(|what| what.starts_with("pipe:"))
            .count()
    }

    /// The numbers of its sockets, as the kernel's tables have them.
    pub fn sockets(&self) -> HashSet<String> {
        self.descriptors()
            .filter_map(|what| Some(what.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
            .collect()
    }

    fn descriptors(&self) -> impl Iterator<Item = String> {
        fs::read_dir(format!("/proc/{}/fd", self.child.id()))
            .expect("the child is not reaped yet, so it has an entry")
            .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
            .map(|target| target.to_string_lossy().into_owned())
    }

    /// Keeps it from opening any more descriptors.
    pub fn open_no_more(&self) {
        self.limit_descriptors(0);
    }

    /// Lets it have so many descriptors at most, from now on.
    pub fn limit_descriptors(&self, limit: u64) {
        let limit = Rlimit {
            current: Some(limit),
            maximum: Some(limit),
        };
        prlimit(Some(Pid::from_child(&self.child)), Resource::Nofile, limit)
            .expect("a limit of one's own child may be lowered");
    }

    /// Asks it to end, as a service manager does.
    pub fn terminate(&self) {
        self.signal(Signal::TERM);
    }

    /// Asks it to end, as Ctrl-C does.
    pub fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Lets it do nothing, while the kernel goes on to accept clients for it.
    pub fn hold_still(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on.
    pub fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal)
            .expect("the child is not reaped yet, so it can be signalled");
    }

    /// Waits until it has ended by itself.
    pub fn wait_exit(&mut self) -> ExitStatus {
        self.exit_within(DEADLINE).expect("the program did not end")
    }

    /// The same, if it ends within the time.
    pub fn exit_within(&mut self, within: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + within;
        loop {
            let status = self.child.try_wait().expect("a child can be waited for");
            if status.is_some() || Instant::now() >= deadline {
                return status;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// The exit code, and what it wrote to standard error until then.
    pub fn wait_end(&mut self) -> (Option<i32>, String) {
        let code = self.wait_exit().code();
        self.stderr.wait(DEADLINE, |_| None::<()>);
        let text = self.stderr.look(|lines| {
            lines.iter().fold(String::new(), |mut text, line| {
                let _ = writeln!(text, "{line}");
                text
            })
        });
        (code, text)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Fails only if it has ended by itself already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// From the line that the kernel has about a process or thread (proc_pid_stat(5)).
fn name_and_time(stat: &str) -> (String, Duration) {
    // The name, in parentheses, may hold spaces. After it, user and system time are
    // the twelfth and thirteenth value, in hundredths of a second.
    let (start, values) = stat.rsplit_once(')').expect("the name is in parentheses");
    let name = start.split_once('(').map_or("", |(_, name)| name);
    let times = values.split_whitespace().skip(11).take(2);
    let hundredths: u64 = times.filter_map(|time| time.parse::<u64>().ok()).sum();
    (name.to_owned(), Duration::from_millis(10 * hundredths))
}

fn holds(line: &str, parts: &[&str]) -> bool {
    parts.iter().all(|part| line.contains(part))
}

/// Reads a pipe to its end in a thread of its own: a full pipe would block the
/// program. What goes elsewhere has ended.
fn record(pipe: Option<impl Read + Send + 'static>) -> Arc<Record<String>> {
    let record = Arc::new(Record::new());
    let Some(pipe) = pipe else {
        record.close();
        return record;
    };

    let writer = Arc::clone(&record);
    thread::spawn(move || {
        for line in BufReader::new(pipe).split(b'\n') {
            let Ok(line) = line else { break };
            writer.push(String::from_utf8_lossy(&line).into_owned());
        }
        writer.close();
    });
    record
}
