//! Makes one run: starts the program and what it talks to, does the steps, notes what is said.

mod cast;
mod child;
mod words;

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use book_preprocessor::runs::{PRINTED, Run, Step, port_sign};
use rustix::process::{Pid, Signal, kill_process_group};

use cast::Cast;
use child::Child;
use words::Words;

/// What was said.
#[derive(Debug)]
pub struct Recording {
    /// By the start.
    pub output: String,
    /// In each step.
    pub steps: Vec<String>,
}

/// Makes `run` with the programs at these paths.
pub fn record(run: &Run, binaries: &BTreeMap<String, PathBuf>) -> Result<Recording> {
    let folder = tempfile::tempdir().context("cannot create a folder")?;
    let mut stage = Stage {
        run,
        cast: Cast::new(binaries),
        words: Words::default(),
        program: None,
        folder: folder.path(),
        groups: Groups::default(),
    };
    let output = stage.start(binaries)?;
    let mut steps = Vec::new();
    for step in &run.steps {
        let said = stage.step(step).with_context(|| {
            step.typed(run)
                .unwrap_or_else(|| format!("log {:?}", step.log.as_deref().unwrap_or("to the end")))
        })?;
        steps.push(said);
    }
    Ok(Recording { output, steps })
}

/// Everything that lives while a run is made.
struct Stage<'a> {
    run: &'a Run,
    cast: Cast<'a>,
    words: Words,
    program: Option<Child>,
    folder: &'a Path,
    groups: Groups,
}

impl Stage<'_> {
    fn start(&mut self, binaries: &BTreeMap<String, PathBuf>) -> Result<String> {
        let Some(phase) = &self.run.phase else {
            return Ok(String::new());
        };
        let binary = binaries
            .get(phase)
            .with_context(|| format!("there is no phase {phase}"))?;
        let mut arguments = Vec::new();
        for argument in &self.run.start {
            let filled = self.fill(argument)?;
            ensure!(
                !filled.contains('{'),
                "{argument}: there is no such address"
            );
            arguments.push(filled);
        }
        let mut add = |flag: &str| {
            if self.run.start.iter().all(|argument| argument != flag) {
                arguments.extend([flag.to_owned(), "127.0.0.1:0".to_owned()]);
            }
        };
        match phase.as_str() {
            "00" if self.run.start.is_empty() => (0..3).for_each(|_| add("--listen")),
            "00" => {}
            number => {
                add("--listen");
                if number >= "08" {
                    add("--metrics");
                }
            }
        }
        let program = self.program.insert(Child::start(binary, &arguments)?);
        let lines = program.greeting(match phase.as_str() {
            "00" => "backend 3 listening on ",
            number
                if number >= "08" && !self.run.start.iter().any(|argument| argument == "off") =>
            {
                "metrics on "
            }
            _ => "listening on ",
        });
        let Some(lines) = lines else {
            return self.end();
        };
        for line in &lines {
            let named = match line.split_once(" listening on ") {
                Some((backend, address)) => Some((backend.replace(' ', ""), address.to_owned())),
                None => line
                    .strip_prefix("listening on ")
                    .map(|address| ("listen".to_owned(), address.to_owned()))
                    .or_else(|| {
                        let url = line.strip_prefix("metrics on http://")?;
                        Some(("metrics".to_owned(), url.split('/').next()?.to_owned()))
                    }),
            };
            if let Some((name, address)) = named {
                self.words.know(&name, &address);
            }
        }
        Ok(self.words.printed(&lines.join("\n")))
    }

    fn step(&mut self, step: &Step) -> Result<String> {
        if let Some(command) = &step.command {
            let command = self.fill(command)?;
            let said = self.shell(&command)?;
            return Ok(self.words.printed(&said));
        }
        if let Some(text) = &step.log {
            let lines = self.program()?.log_until(text)?;
            return Ok(self.log(&lines, step.only.as_deref()));
        }
        if let Some(name) = &step.stop {
            self.cast.stop(name)?;
        } else if let Some(name) = &step.start {
            self.cast.start(name)?;
        } else if let Some(name) = &step.signal {
            let signal = match name.as_str() {
                "TERM" => Signal::TERM,
                "INT" => Signal::INT,
                "HUP" => Signal::HUP,
                "USR2" => Signal::USR2,
                _ => bail!("the signals are TERM, INT, HUP and USR2"),
            };
            self.program()?.signal(signal)?;
        } else if let Some(pause) = &step.wait {
            thread::sleep(duration(pause)?);
        } else {
            return self.end();
        }
        Ok(String::new())
    }

    /// Waits for the program's end, and takes what is left of its log.
    fn end(&mut self) -> Result<String> {
        let (lines, end) = self.program()?.wait_end()?;
        let mut text = self.log(&lines, None);
        if !text.is_empty() {
            text.push('\n');
        }
        Ok(text + &end)
    }

    fn log(&mut self, lines: &[String], only: Option<&str>) -> String {
        let lines = lines
            .iter()
            .filter(|line| only.is_none_or(|only| line.contains(only)));
        let text: Vec<_> = lines.map(|line| words::without_time(line)).collect();
        self.words.printed(&text.join("\n"))
    }

    fn shell(&mut self, command: &str) -> Result<String> {
        let path = self.folder.join(".said");
        let said = File::create(&path).context("cannot keep what a command says")?;
        let mut shell = Command::new("sh")
            .arg("-c")
            .arg(command)
            .current_dir(self.folder)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(said.try_clone()?)
            .stderr(said)
            // So that what a command leaves running can be ended with it.
            .process_group(0)
            .spawn()
            .context("cannot start sh")?;
        self.groups.0.push(Pid::from_child(&shell));
        let deadline = Instant::now() + PATIENCE;
        while shell.try_wait()?.is_none() {
            ensure!(
                Instant::now() < deadline,
                "it does not end within {PATIENCE:?}"
            );
            thread::sleep(Duration::from_millis(5));
        }
        let said = std::fs::read(&path)?;
        let said = String::from_utf8_lossy(&said).replace('\r', "");
        Ok(said.trim_end().to_owned())
    }

    fn fill(&mut self, text: &str) -> Result<String> {
        let mut filled = text.to_owned();
        if let Some(program) = &self.program {
            filled = filled.replace("{pid}", &program.id().to_string());
        }
        for (name, _) in PRINTED {
            let (sign, port_sign) = (format!("{{{name}}}"), port_sign(name));
            if !filled.contains(&sign) && !filled.contains(&port_sign) {
                continue;
            }
            let address = match self.words.address(name) {
                Some(address) => address.to_owned(),
                None => {
                    let address = self.cast.address(name)?;
                    self.words.know(name, &address);
                    address
                }
            };
            let port = address.rsplit(':').next().unwrap_or_default();
            filled = filled.replace(&sign, &address).replace(&port_sign, port);
        }
        Ok(filled)
    }

    fn program(&mut self) -> Result<&mut Child> {
        self.program.as_mut().context("the run starts no program")
    }
}

/// Longer than any chapter makes a reader wait.
const PATIENCE: Duration = Duration::from_secs(40);

/// What the commands may have left running.
#[derive(Default)]
struct Groups(Vec<Pid>);

impl Drop for Groups {
    fn drop(&mut self) {
        for group in &self.0 {
            // Most are gone already.
            let _ = kill_process_group(*group, Signal::KILL);
        }
    }
}

fn duration(text: &str) -> Result<Duration> {
    let (number, unit) = match text.strip_suffix("ms") {
        Some(number) => (number, Duration::from_millis(1)),
        None => (text.trim_end_matches('s'), Duration::from_secs(1)),
    };
    let number: u32 = number
        .parse()
        .with_context(|| format!("{text} is no pause such as 3s or 200ms"))?;
    Ok(unit * number)
}
