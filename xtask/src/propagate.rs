//! Carries an edit of one phase to all later phases.
//!
//! Each step is a three-way merge: base is a phase as it was committed, theirs is that phase with
//! the edit in it, ours is the next phase. All steps are worked out before the first file is
//! written, so an error leaves nothing half done. A conflict stops the walk; what is needed to go
//! on, or to go back, is kept in a file inside the `.git` folder.

mod outcome;
mod state;

use std::path::Path;

use anyhow::{Context, Result, bail};

pub use self::outcome::{Outcome, Written};
use self::state::State;
use crate::bless::bless;
use crate::git;
use crate::merge::merge;
use crate::phases::{Index, Phase};
use crate::program::{self, Program, names, translate};

/// Carries what differs between phase `number` at `since` and in the working tree to all later
/// phases.
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

/// An edit in a later phase would be taken for the merge's own work in the next step, and lost by
/// an abort.
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
