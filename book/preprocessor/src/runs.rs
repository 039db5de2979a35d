//! Recorded runs: what a reader types, and what came of it when it was last recorded.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// A program is started, and things are done to it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// What the chapter calls it.
    pub name: String,
    /// What it shows, in a sentence.
    pub about: String,
    /// The number of the phase whose program is started; none if only commands are run.
    pub phase: Option<String>,
    /// The program's arguments.
    #[serde(default)]
    pub start: Vec<String>,
    /// What the start printed.
    #[serde(default)]
    pub output: String,
    /// What is done then.
    #[serde(default, rename = "step")]
    pub steps: Vec<Step>,
}

/// One thing that is done; exactly one of the first seven is there.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Run by a shell.
    pub command: Option<String>,
    /// The program's log is read until a new line holds this.
    pub log: Option<String>,
    /// A backend that ends.
    pub stop: Option<String>,
    /// A backend that comes back.
    pub start: Option<String>,
    /// The name of a signal for the program.
    pub signal: Option<String>,
    /// A pause, such as `3s`.
    pub wait: Option<String>,
    /// Whether the end of the program is waited for.
    #[serde(default)]
    pub end: bool,
    /// Only lines with this are kept of a log.
    pub only: Option<String>,
    /// Patterns of what may differ from run to run.
    #[serde(default)]
    pub mask: Vec<String>,
    /// What came of it.
    #[serde(default)]
    pub output: String,
}

/// What the names in braces stand for in the book. The recorder puts real addresses there.
pub const PRINTED: &[(&str, &str)] = &[
    ("listen", "127.0.0.1:8000"),
    ("metrics", "127.0.0.1:9100"),
    ("backend1", "127.0.0.1:9001"),
    ("backend2", "127.0.0.1:9002"),
    ("backend3", "127.0.0.1:9003"),
    ("refused", "127.0.0.1:9009"),
    ("silent", "127.0.0.1:9010"),
    ("hangup", "127.0.0.1:9011"),
    ("blackhole", "127.0.0.1:9012"),
    ("impatient", "127.0.0.1:9013"),
    ("greeter", "127.0.0.1:9014"),
    ("spare", "127.0.0.1:9015"),
    ("single", "127.0.0.1:9016"),
];

/// How the port of a name alone is written: `{port}` of `listen`, `{port2}` of `backend2`,
/// `{spareport}` of all others.
pub fn port_sign(name: &str) -> String {
    match name.strip_prefix("backend") {
        Some(number) => format!("{{port{number}}}"),
        None if name == "listen" => "{port}".to_owned(),
        None => format!("{{{name}port}}"),
    }
}

/// All runs below `root`, by the number of their chapter.
pub fn load(root: &Path) -> Result<BTreeMap<String, Vec<Run>>> {
    let mut runs: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for file in files(root)? {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let chapter = name.split('-').next().unwrap_or_default().to_owned();
        runs.entry(chapter).or_default().extend(read(&file)?);
    }
    Ok(runs)
}

/// The files with runs, in the order of their names.
pub fn files(root: &Path) -> Result<Vec<std::path::PathBuf>> {
    let folder = root.join("book/runs");
    let mut files = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(&folder).context("cannot read book/runs")? {
            files.push(entry.context("cannot read book/runs")?.path());
        }
    }
    files.retain(|file| {
        file.extension()
            .is_some_and(|extension| extension == "toml")
    });
    files.sort();
    Ok(files)
}

/// The runs of one file.
pub fn read(file: &Path) -> Result<Vec<Run>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Runs {
        #[serde(default)]
        run: Vec<Run>,
    }
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {name}"))?;
    let runs: Runs = toml::from_str(&text).with_context(|| format!("cannot understand {name}"))?;
    for run in &runs.run {
        for step in &run.steps {
            ensure!(
                step.is_one_thing(),
                "{name}: run {}: a step has exactly one of command, log, stop, start, signal, wait, end",
                run.name
            );
        }
    }
    Ok(runs.run)
}

impl Run {
    /// The line that starts the program, as a reader types it.
    pub fn start_line(&self) -> Option<String> {
        let phase = self.phase.as_ref()?;
        let mut text = format!("cargo run -q -p phase-{phase}");
        if !self.start.is_empty() {
            text.push_str(" --");
        }
        let mut width = text.len();
        for (place, argument) in self.start.iter().enumerate() {
            let word = quoted(&self.printed(argument));
            // A flag stays with its value.
            let value = self
                .start
                .get(place + 1)
                .filter(|next| !next.starts_with("--"));
            let value = value.map_or(0, |value| self.printed(value).len() + 1);
            if argument.starts_with("--") && width + 1 + word.len() + value > WIDTH {
                text.push_str(" \\\n   ");
                width = 3;
            }
            width += 1 + word.len();
            text.push(' ');
            text.push_str(&word);
        }
        Some(text)
    }

    /// A text with the addresses that the book prints.
    pub fn printed(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, printed) in PRINTED {
            text = text.replace(&format!("{{{name}}}"), printed);
            let port = printed.rsplit(':').next().unwrap_or_default();
            text = text.replace(&port_sign(name), port);
        }
        let program = format!("$(pidof phase-{})", self.phase.as_deref().unwrap_or("00"));
        text.replace("{pid}", &program)
    }
}

impl Step {
    /// What the reader types or does, unless only the log is read.
    pub fn typed(&self, run: &Run) -> Option<String> {
        let backend = |name: &str| name.replace("backend", "backend ");
        if let Some(command) = &self.command {
            Some(format!("$ {}", run.printed(command)))
        } else if let Some(signal) = &self.signal {
            Some(run.printed(&format!("$ kill -{signal} {{pid}}")))
        } else if let Some(pause) = &self.wait {
            let milliseconds = pause
                .strip_suffix("ms")
                .and_then(|number| number.parse::<u32>().ok());
            let seconds = milliseconds.map(|number| (f64::from(number) / 1000.0).to_string());
            let seconds = seconds.unwrap_or_else(|| pause.trim_end_matches('s').to_owned());
            Some(format!("$ sleep {seconds}"))
        } else if let Some(name) = &self.stop {
            Some(format!("# {} is stopped", backend(name)))
        } else {
            let name = self.start.as_ref()?;
            Some(format!("# {} is started again", backend(name)))
        }
    }

    fn is_one_thing(&self) -> bool {
        let things = [
            self.command.is_some(),
            self.log.is_some(),
            self.stop.is_some(),
            self.start.is_some(),
            self.signal.is_some(),
            self.wait.is_some(),
            self.end,
        ];
        things.iter().filter(|thing| **thing).count() == 1
    }
}

/// What fits on a page without scrolling, with room for a prompt and a backslash.
const WIDTH: usize = 74;

fn quoted(argument: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:=,@%+-".contains(c);
    match argument.chars().all(plain) {
        true => argument.to_owned(),
        false => format!("'{argument}'"),
    }
}
