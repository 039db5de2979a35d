//! Carries an edit of one phase to all later phases.
//!
//! Each step is a three-way merge: base is a phase as it was committed, theirs is that phase with the edit in it, ours
//! is the next phase. All steps are worked out before the first file is written, so an error leaves nothing half done.
//! A conflict stops the walk; what is needed to go on, or to go back, is kept in a file inside the `.git` folder.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::bless::{Blessed, bless};
use crate::git;
use crate::merge::merge;
use crate::phases::{Index, Phase};
use crate::program::{self, Program, names, translate};

/// How a propagation ended.
#[derive(Debug)]
pub enum Outcome {
    /// The edit is in every later phase.
    Done {
        /// What was written.
        written: Vec<Written>,
        /// The deltas that are different now.
        blessed: Vec<Blessed>,
    },
    /// Someone has to decide before it can go on.
    Stopped {
        /// What was written, the markers included.
        written: Vec<Written>,
        /// The folder of the phase that holds the markers.
        folder: String,
        /// The files with markers, inside that folder.
        files: Vec<String>,
    },
    /// The later phases are as they were.
    Aborted {
        /// What was restored.
        restored: Vec<Written>,
    },
}

/// The files that changed in one phase.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    /// The number of the phase.
    pub number: String,
    /// Paths inside the phase's folder.
    pub files: Vec<String>,
}

/// Carries what differs between phase `number` at `since` and in the working tree to all later phases.
///
/// `since` is the last commit unless the edit is committed already.
pub fn start(root: &Path, number: &str, since: &str) -> Result<Outcome> {
    if let Some(state) = State::load(root)? {
        bail!(
            "the propagation from phase {} still waits in phase {}: go on with `cargo xtask propagate --continue`, \
             or give it up with `cargo xtask propagate --abort`",
            state.from,
            state.stopped_in
        );
    }
    let index = Index::load(root)?;
    let phase = index.find_step(number)?;
    let head = git::commit(root, "HEAD")
        .context("there is no commit yet, so nothing to compare the edit with")?;
    let past = git::phases_at(root, &git::commit(root, since)?)?;
    let before = read_committed(past.path(), phase, since)?;
    if before == program::read(root, phase)? {
        bail!(
            "phase {} has no edit since {since}: nothing to propagate; when the edit is committed already, name the \
             commit before it with `--since`",
            phase.number
        );
    }
    let later = index.after(phase);
    let committed = git::phases_at(root, &head)?;
    refuse_edits(root, committed.path(), &later)?;
    let state = State {
        from: phase.number.clone(),
        stopped_in: phase.number.clone(),
        files: Vec::new(),
        head,
    };
    walk(root, &index, phase, before, state)
}

/// Goes on after the markers of a conflict have been mended.
pub fn resume(root: &Path) -> Result<Outcome> {
    let state = State::load_or_fail(root)?;
    let index = Index::load(root)?;
    let phase = index.find_step(&state.stopped_in)?;
    let mended = program::read(root, phase)?;
    let open: Vec<&str> = state
        .files
        .iter()
        .filter(|file| mended.get(*file).is_some_and(|text| has_markers(text)))
        .map(String::as_str)
        .collect();
    if !open.is_empty() {
        bail!(
            "{} still holds conflict markers in {}: mend them first",
            phase.folder().display(),
            open.join(", ")
        );
    }
    let committed = git::phases_at(root, &state.head)?;
    refuse_edits(root, committed.path(), &index.after(phase))?;
    let before = read_committed(committed.path(), phase, &state.head)?;
    walk(root, &index, phase, before, state)
}

/// Gives a stopped propagation up: the later phases become what they were when it started.
pub fn abort(root: &Path) -> Result<Outcome> {
    let state = State::load_or_fail(root)?;
    let index = Index::load(root)?;
    let committed = git::phases_at(root, &state.head)?;
    let mut restored = Vec::new();
    for phase in index.after(index.find_step(&state.from)?) {
        if phase.number <= state.stopped_in {
            let files = program::write(root, phase, &program::read(committed.path(), phase)?)?;
            restored.push(Written {
                number: phase.number.clone(),
                files,
            });
        }
    }
    State::remove(root)?;
    Ok(Outcome::Aborted { restored })
}

/// The phase in which a propagation waits for someone to mend its markers.
pub fn stopped_in(root: &Path) -> Result<Option<String>> {
    Ok(State::load(root)?.map(|state| state.stopped_in))
}

/// Merges from `phase` on until the last phase or a conflict. `before` is `phase` without the edit.
fn walk(
    root: &Path,
    index: &Index,
    phase: &Phase,
    mut before: Program,
    mut state: State,
) -> Result<Outcome> {
    let mut after = program::read(root, phase)?;
    let mut current = phase;
    let mut merges: Vec<(&Phase, Program)> = Vec::new();
    let mut conflicts = Vec::new();
    for next in index.after(phase) {
        let ours = program::read(root, next)?;
        let labels = [
            format!("phase {}", next.number),
            format!("phase {} without the edit", current.number),
            format!("phase {} with the edit", current.number),
        ];
        let [base, theirs] =
            [&before, &after].map(|program| translate(program, &names(current), &names(next)));
        let merged = merge(&base, &ours, &theirs, [&labels[0], &labels[1], &labels[2]])?;
        merges.push((next, merged.program.clone()));
        conflicts = merged.conflicts;
        if !conflicts.is_empty() {
            break;
        }
        before = ours;
        after = merged.program;
        current = next;
    }

    let stopped_in = merges
        .last()
        .map(|(phase, _)| *phase)
        .filter(|_| !conflicts.is_empty());
    if let Some(phase) = stopped_in {
        state.stopped_in.clone_from(&phase.number);
        state.files.clone_from(&conflicts);
        state.save(root)?;
    }
    let mut written = Vec::new();
    for (phase, program) in merges {
        written.push(Written {
            number: phase.number.clone(),
            files: program::write(root, phase, &program)?,
        });
    }
    if let Some(phase) = stopped_in {
        return Ok(Outcome::Stopped {
            written,
            folder: phase.folder().display().to_string(),
            files: conflicts,
        });
    }

    State::remove(root)?;
    let edited = index.find_step(&state.from)?;
    let blessed = bless(root, index, [edited].into_iter().chain(index.after(edited)))?;
    Ok(Outcome::Done { written, blessed })
}

/// What a stopped propagation remembers.
#[derive(Debug, Serialize, Deserialize)]
struct State {
    /// The phase that was edited.
    from: String,
    /// The phase that holds the markers.
    stopped_in: String,
    /// The files that hold them.
    files: Vec<String>,
    /// The last commit when it started.
    head: String,
}

impl State {
    const FILE: &str = "xtask-propagate.toml";

    fn load(root: &Path) -> Result<Option<Self>> {
        let file = git::private_file(root, Self::FILE)?;
        if !file.exists() {
            return Ok(None);
        }
        let text =
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let state = toml::from_str(&text)
            .with_context(|| format!("{} is damaged: remove it", file.display()))?;
        Ok(Some(state))
    }

    fn load_or_fail(root: &Path) -> Result<Self> {
        Self::load(root)?.context("no propagation waits: start one with `cargo xtask propagate NN`")
    }

    fn save(&self, root: &Path) -> Result<()> {
        let file = git::private_file(root, Self::FILE)?;
        fs::write(&file, toml::to_string(self)?)
            .with_context(|| format!("cannot write {}", file.display()))
    }

    fn remove(root: &Path) -> Result<()> {
        let file = git::private_file(root, Self::FILE)?;
        if file.exists() {
            fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        }
        Ok(())
    }
}

/// An edit in a later phase would be taken for the merge's own work in the next step, and lost by an abort.
fn refuse_edits(root: &Path, committed: &Path, later: &[&Phase]) -> Result<()> {
    let mut edited = Vec::new();
    for phase in later {
        if program::read(root, phase)? != read_committed(committed, phase, "HEAD")? {
            edited.push(phase.folder().display().to_string());
        }
    }
    if !edited.is_empty() {
        bail!(
            "these later phases have edits of their own: {}; commit them or take them back first",
            edited.join(", ")
        );
    }
    Ok(())
}

fn read_committed(past: &Path, phase: &Phase, commit: &str) -> Result<Program> {
    program::read(past, phase).with_context(|| {
        format!(
            "{} is not in {commit}: commit the phase first",
            phase.folder().display()
        )
    })
}

fn has_markers(text: &str) -> bool {
    text.lines().any(|line| {
        ["<<<<<<< ", "||||||| ", ">>>>>>> "]
            .iter()
            .any(|marker| line.starts_with(marker))
    })
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done { written, blessed } => {
                list(f, written)?;
                let deltas: Vec<String> = blessed.iter().map(ToString::to_string).collect();
                match deltas.as_slice() {
                    [] => writeln!(f, "no delta changed"),
                    [one] => writeln!(f, "changed: {one} only"),
                    many => writeln!(f, "changed: {}", many.join(", ")),
                }
            }
            Self::Stopped {
                written,
                folder,
                files,
            } => {
                list(f, written)?;
                writeln!(f, "conflict in {folder}:")?;
                files
                    .iter()
                    .try_for_each(|file| writeln!(f, "    {folder}/{file}"))?;
                writeln!(
                    f,
                    "mend the markers (or remove a file that is not wanted), then:"
                )?;
                writeln!(
                    f,
                    "    cargo xtask propagate --continue    to carry the edit on"
                )?;
                writeln!(
                    f,
                    "    cargo xtask propagate --abort       to put all later phases back"
                )
            }
            Self::Aborted { restored } => {
                list(f, restored)?;
                writeln!(
                    f,
                    "the later phases are as they were; the edit itself is untouched"
                )
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, phases: &[Written]) -> fmt::Result {
    phases.iter().try_for_each(|phase| {
        let files = if phase.files.is_empty() {
            "nothing to do".to_owned()
        } else {
            phase.files.join(", ")
        };
        writeln!(f, "{}: {files}", phase.number)
    })
}
