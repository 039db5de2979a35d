//! Compares the recorded runs with what the programs do now, and records them anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex};
use std::thread;

use anyhow::{Context, Result, anyhow, ensure};
use book_preprocessor::runs::{self, Run};
use regex::Regex;
use toml_edit::{DocumentMut, Item, Table};

use crate::recorder::{self, Recording};

/// What the programs no longer do as it is recorded.
pub fn check(root: &Path, only: Option<&str>) -> Result<Vec<String>> {
    let jobs = jobs(root, only)?;
    let differences = at_once(&jobs, |job| {
        let first = differences(job, &recorder::record(&job.run, &job.binaries));
        // On a busy machine a pause can be longer than a chapter expects, once.
        match first.is_empty() {
            true => first,
            false => differences(job, &recorder::record(&job.run, &job.binaries)),
        }
    })?;
    Ok(differences.into_iter().flatten().collect())
}

/// Records what is different or was never recorded; returns how many that
/// were.
pub fn bless(root: &Path, only: Option<&str>) -> Result<usize> {
    let jobs = jobs(root, only)?;
    let recordings = at_once(&jobs, |job| recorder::record(&job.run, &job.binaries))?;
    let mut blessed = 0;
    let mut failures = Vec::new();
    for (job, recording) in jobs.iter().zip(&recordings) {
        if differences(job, recording).is_empty() {
            continue;
        }
        match recording {
            Ok(recording) => {
                write(job, recording)?;
                println!("recorded: {job}");
                blessed += 1;
            }
            Err(error) => failures.push(format!("{job}: {error:#}")),
        }
    }
    ensure!(
        failures.is_empty(),
        "not recorded:\n{}",
        failures.join("\n")
    );
    Ok(blessed)
}

/// A run to be made.
#[derive(Debug)]
struct Job {
    file: PathBuf,
    name: String,
    place: usize,
    run: Run,
    binaries: BTreeMap<String, PathBuf>,
}

impl std::fmt::Display for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: run `{}`", self.name, self.run.name)
    }
}

fn jobs(root: &Path, only: Option<&str>) -> Result<Vec<Job>> {
    let mut jobs = Vec::new();
    for file in runs::files(root)? {
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if only.is_some_and(|only| !name.starts_with(only)) {
            continue;
        }
        for (place, run) in runs::read(&file)?.into_iter().enumerate() {
            let name = format!("book/runs/{name}");
            let (file, binaries) = (file.clone(), BTreeMap::new());
            jobs.push(Job {
                file,
                name,
                place,
                run,
                binaries,
            });
        }
    }
    let mut phases: BTreeSet<String> = jobs
        .iter()
        .filter_map(|job| job.run.phase.clone())
        .collect();
    phases.insert("00".to_owned());
    let binaries = build(root, &phases)?;
    for job in &mut jobs {
        job.binaries.clone_from(&binaries);
    }
    Ok(jobs)
}

/// Builds the programs of these phases; returns where they are.
fn build(root: &Path, phases: &BTreeSet<String>) -> Result<BTreeMap<String, PathBuf>> {
    let mut command = Command::new("cargo");
    command.current_dir(root).args([
        "build",
        "--quiet",
        "--message-format",
        "json-render-diagnostics",
    ]);
    for phase in phases {
        command.args(["--package", &format!("phase-{phase}")]);
    }
    let output = command.output().context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "a phase does not compile:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut binaries = BTreeMap::new();
    for message in String::from_utf8_lossy(&output.stdout).lines() {
        let message: serde_json::Value = serde_json::from_str(message)?;
        let name = message["target"]["name"]
            .as_str()
            .and_then(|name| name.strip_prefix("phase-"));
        if let (Some(number), Some(path)) = (name, message["executable"].as_str()) {
            binaries.insert(number.to_owned(), PathBuf::from(path));
        }
    }
    Ok(binaries)
}

/// Runs mostly wait, so a few fit on a small machine; many would make each other late.
fn at_once<T: Send>(jobs: &[Job], work: impl Fn(&Job) -> T + Sync) -> Result<Vec<T>> {
    let next = Mutex::new(jobs.iter().enumerate());
    let done = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let job = next.lock().ok().and_then(|mut next| next.next());
                    let Some((place, job)) = job else { return };
                    let result = work(job);
                    if let Ok(mut done) = done.lock() {
                        done.push((place, result));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().map_err(|_| anyhow!("a run panicked"))?;
    done.sort_by_key(|(place, _)| *place);
    Ok(done.into_iter().map(|(_, result)| result).collect())
}

fn differences(job: &Job, recording: &Result<Recording>) -> Vec<String> {
    let recording = match recording {
        Ok(recording) => recording,
        Err(error) => return vec![format!("{job}: {error:#}")],
    };
    let run = &job.run;
    let mut found = Vec::new();
    let mut compare = |what: &str, old: &str, new: &str, masks: &[String]| {
        if masked(old, masks) != masked(new, masks) {
            found.push(format!(
                "{job}, {what}: `cargo xtask book bless` records it anew\n  recorded:\n{}\n  now:\n{}",
                indented(old),
                indented(new)
            ));
        }
    };
    compare("start", &run.output, &recording.output, &[]);
    for (step, now) in run.steps.iter().zip(&recording.steps) {
        let what = match (step.typed(run), &step.log) {
            (Some(line), _) => line,
            (None, Some(text)) => format!("log \"{text}\""),
            (None, None) => "end".to_owned(),
        };
        compare(&what, &step.output, now, &step.mask);
    }
    found
}

/// A text without what may differ from run to run.
fn masked(text: &str, masks: &[String]) -> String {
    let text = text.trim_end();
    let text = MILLISECONDS.replace_all(text, "$1…").into_owned();
    masks
        .iter()
        .fold(text, |text, mask| match Regex::new(mask) {
            Ok(mask) => mask.replace_all(&text, "…").into_owned(),
            Err(_) => text,
        })
}

static MILLISECONDS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"(_ms"?[=:]\s?)[0-9.]+"#).expect("a valid pattern"));

fn indented(text: &str) -> String {
    let lines = text.trim_end().lines().map(|line| format!("    {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

fn write(job: &Job, recording: &Recording) -> Result<()> {
    let text = fs::read_to_string(&job.file)?;
    let mut document: DocumentMut = text.parse()?;
    let run = document["run"]
        .as_array_of_tables_mut()
        .and_then(|runs| runs.get_mut(job.place));
    let run = run.with_context(|| format!("{job} is not written as [[run]]"))?;
    put(run, &job.run.output, &recording.output, &[])?;
    if let Some(steps) = run.get_mut("step").and_then(Item::as_array_of_tables_mut) {
        let both = job.run.steps.iter().zip(&recording.steps);
        for (table, (step, now)) in steps.iter_mut().zip(both) {
            put(table, &step.output, now, &step.mask)?;
        }
    }
    fs::write(&job.file, document.to_string())?;
    Ok(())
}

/// Writes an output, unless it says the same.
fn put(table: &mut Table, old: &str, new: &str, masks: &[String]) -> Result<()> {
    if masked(old, masks) == masked(new, masks) {
        return Ok(());
    }
    let new = new.trim_end();
    // Without escapes, as far as the text allows.
    table["output"] = match new {
        "" => toml_edit::value(""),
        new if new.contains("'''") || new.contains('\r') => toml_edit::value(new),
        new => format!("x = '''\n{new}\n'''").parse::<DocumentMut>()?["x"].clone(),
    };
    Ok(())
}
