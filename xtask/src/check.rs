//! Everything that must hold between the phases, looked at in one go: all failures are listed, not only the first.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use similar::ChangeTag;

use crate::bless;
use crate::delta::{self, Delta};
use crate::phases::{Index, Phase};
use crate::propagate;

/// Something that does not hold.
#[derive(Debug)]
pub struct Failure {
    /// What is wrong, and where.
    pub what: String,
    /// What to do about it.
    pub mend: String,
}

/// Looks at the index, the folders and the deltas below `root`.
pub fn phases(root: &Path) -> Result<Vec<Failure>> {
    let index = Index::load(root)?;
    let mut failures = Failures::default();
    unfinished_propagation(root, &mut failures);
    numbers(&index, &mut failures);
    flaws(&index, &mut failures);
    strangers(root, &index, &mut failures)?;
    let mut changed_before = false;
    for phase in &index.phases {
        if !root.join(phase.folder()).is_dir() {
            failures.add(
                format!(
                    "phase {}: there is no folder {}",
                    phase.number,
                    phase.folder().display()
                ),
                "add the folder, or correct the number or name in phases/phases.toml",
            );
            continue;
        }
        files(root, phase, &mut failures);
    }
    for phase in index.steps() {
        match delta::of(root, &index, phase) {
            Ok(delta) => {
                budget(phase, &delta, &mut failures);
                changed_before =
                    !same_as_blessed(root, &index, phase, &delta, changed_before, &mut failures);
            }
            Err(error) => failures.add(
                format!("phase {}: {error:#}", phase.number),
                "mend this first",
            ),
        }
    }
    Ok(failures.0)
}

/// Looks at format and lints, which takes a build.
pub fn cargo(root: &Path) -> Result<Vec<Failure>> {
    let mut failures = Failures::default();
    let commands = [
        ("fmt --all --check", "run `cargo fmt --all`"),
        (
            "clippy --workspace --all-targets -- -D warnings",
            "mend what clippy says above",
        ),
    ];
    for (arguments, mend) in commands {
        let status = Command::new("cargo")
            .current_dir(root)
            .args(arguments.split(' '))
            .status();
        if !status.context("cannot run cargo")?.success() {
            failures.add(format!("`cargo {arguments}` fails"), mend);
        }
    }
    Ok(failures.0)
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n    → {}", self.what, self.mend)
    }
}

#[derive(Default)]
struct Failures(Vec<Failure>);

impl Failures {
    fn add(&mut self, what: impl Into<String>, mend: impl Into<String>) {
        self.0.push(Failure {
            what: what.into(),
            mend: mend.into(),
        });
    }
}

fn unfinished_propagation(root: &Path, failures: &mut Failures) {
    // Without a repository, as in an unpacked archive, nothing can be unfinished.
    if let Ok(Some(number)) = propagate::stopped_in(root) {
        failures.add(
            format!("a propagation waits in phase {number}"),
            "finish it with `cargo xtask propagate --continue`, or give it up with `--abort`",
        );
    }
}

fn numbers(index: &Index, failures: &mut Failures) {
    for (position, phase) in index.phases.iter().enumerate() {
        if phase.number != format!("{position:02}") {
            failures.add(
                format!(
                    "phases/phases.toml: phase {} stands where phase {position:02} belongs",
                    phase.number
                ),
                "number the phases 00, 01, 02 … in their order",
            );
        }
    }
}

fn flaws(index: &Index, failures: &mut Failures) {
    let mut born: BTreeMap<&str, &Phase> = BTreeMap::new();
    for phase in &index.phases {
        for flaw in &phase.flaws {
            if let Some(other) = born.insert(&flaw.id, phase) {
                failures.add(
                    format!(
                        "flaw {} is born in phase {} and in phase {}",
                        flaw.id, other.number, phase.number
                    ),
                    "give the two flaws different ids",
                );
            }
        }
    }
    for phase in &index.phases {
        for id in &phase.cures {
            match born.get(id.as_str()) {
                None => failures.add(
                    format!("phase {} cures {id}, which no phase has", phase.number),
                    "correct the id, or add the flaw to the phase in which it is born",
                ),
                Some(birth) if birth.number >= phase.number => failures.add(
                    format!(
                        "phase {} cures {id}, which is born in phase {}",
                        phase.number, birth.number
                    ),
                    "a cure comes later than the flaw",
                ),
                Some(_) => {}
            }
        }
    }
}

/// Folders and deltas that the index does not know.
fn strangers(root: &Path, index: &Index, failures: &mut Failures) -> Result<()> {
    let known: Vec<_> = index
        .phases
        .iter()
        .map(|phase| root.join(phase.folder()))
        .collect();
    let entries: io::Result<Vec<_>> = fs::read_dir(root.join("phases")).and_then(Iterator::collect);
    let mut entries = entries.context("cannot read phases/")?;
    entries.sort_by_key(DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(|first: char| first.is_ascii_digit()) && !known.contains(&entry.path())
        {
            failures.add(
                format!("phases/{name} is not in phases/phases.toml"),
                "add a [[phase]] for it",
            );
        }
    }
    for name in bless::strays(root, index)? {
        failures.add(
            format!("phases/deltas/{name} belongs to no phase"),
            "run `cargo xtask bless`, which removes it",
        );
    }
    Ok(())
}

/// What every phase's folder must hold.
fn files(root: &Path, phase: &Phase, failures: &mut Failures) {
    let folder = root.join(phase.folder());
    let shown = phase.folder();
    let shown = shown.display();

    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let package = toml::from_str::<toml::Table>(&manifest)
        .ok()
        .and_then(|manifest| Some(manifest.get("package")?.get("name")?.as_str()?.to_owned()));
    if package.as_ref() != Some(&phase.package()) {
        failures.add(
            format!(
                "{shown}/Cargo.toml does not name the package {}",
                phase.package()
            ),
            format!("write `name = \"{}\"`", phase.package()),
        );
    }

    match fs::read_to_string(folder.join("README.md")).map(|text| text.lines().count()) {
        Err(_) => failures.add(
            format!("{shown} has no README.md"),
            format!("say what the phase adds and how to run it, in at most {README_LINES} lines"),
        ),
        Ok(lines) if lines > README_LINES => failures.add(
            format!("{shown}/README.md has {lines} lines"),
            format!("keep it to {README_LINES} lines: the rest belongs in the chapter"),
        ),
        Ok(_) => {}
    }

    let package = phase.package();
    let line = format!("testkit::phase!(\"{package}\", env!(\"CARGO_BIN_EXE_{package}\"));");
    let behaviour = fs::read_to_string(folder.join("tests/behaviour.rs")).unwrap_or_default();
    if phase.number != "00" && !behaviour.contains(&line) {
        failures.add(
            format!("{shown}/tests/behaviour.rs does not run the phase's column of the matrix"),
            format!("write `{line}`"),
        );
    }
}

/// A phase's README only points the way; the chapter explains.
const README_LINES: usize = 25;

fn budget(phase: &Phase, delta: &Delta, failures: &mut Failures) {
    let (lines, files, number) = (
        delta.budgeted_lines(),
        delta.budgeted_files(),
        &phase.number,
    );
    if lines > phase.budget {
        failures.add(
            format!(
                "phase {number} changes {lines} lines; its budget is {}",
                phase.budget
            ),
            "make the step smaller, or raise `budget` in phases/phases.toml",
        );
    }
    if phase.reason.is_some() {
        return;
    }
    if phase.budget > Phase::LIMIT {
        failures.add(
            format!(
                "phase {number} has a budget of {} lines, above {}",
                phase.budget,
                Phase::LIMIT
            ),
            "lower it, or say in `reason` why the step cannot be smaller",
        );
    }
    if files > Phase::FILES {
        failures.add(
            format!(
                "phase {number} changes {files} files, more than {}",
                Phase::FILES
            ),
            "make the step smaller, or say in `reason` why it cannot be",
        );
    }
}

/// Compares a delta with the committed one. `changed_before` says that the phase before differed as well, which is
/// what a forgotten propagation looks like.
fn same_as_blessed(
    root: &Path,
    index: &Index,
    phase: &Phase,
    delta: &Delta,
    changed_before: bool,
    failures: &mut Failures,
) -> bool {
    let number = &phase.number;
    let file = phase.delta_file();
    let real = delta.to_string();
    let Ok(blessed) = fs::read_to_string(root.join(&file)) else {
        failures.add(
            format!("{} is missing", file.display()),
            format!("run `cargo xtask bless {number}`"),
        );
        return false;
    };
    if blessed == real {
        return true;
    }
    let edited = index
        .previous(phase)
        .filter(|_| changed_before)
        .unwrap_or(phase);
    failures.add(
        format!("{} is not what phase {number} changes:\n{}", file.display(), excerpt(&blessed, &real)),
        format!(
            "fix forgotten to be propagated? run `cargo xtask propagate {}`; meant? run `cargo xtask bless {number}`",
            edited.number
        ),
    );
    false
}

/// The first lines in which two deltas differ; the first sign is `-` for what was blessed and `+` for
/// what is real.
fn excerpt(blessed: &str, real: &str) -> String {
    let mut lines = differing(&bless::changes(blessed), &bless::changes(real));
    if lines.is_empty() {
        // Only lines around the changes differ.
        lines = differing(blessed, real);
    }
    let shown = lines[..lines.len().min(EXCERPT_LINES)].join("\n");
    match lines.len().saturating_sub(EXCERPT_LINES) {
        0 => shown,
        hidden => format!("{shown}\n    … and {hidden} more lines"),
    }
}

fn differing(old: &str, new: &str) -> Vec<String> {
    let diff = delta::lines(old, new);
    let lines = diff
        .iter_all_changes()
        .filter(|line| line.tag() != ChangeTag::Equal);
    lines
        .map(|line| format!("    {} {}", line.tag(), line.value().trim_end()))
        .collect()
}

/// Enough to recognise one's own edit, few enough that ten failures fit on a screen or two.
const EXCERPT_LINES: usize = 8;
