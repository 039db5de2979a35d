//! Finds the phase in which a line first appeared: a bug found late is mended there and propagated.

use std::fmt;
use std::path::Path;

use anyhow::{Result, bail};

use crate::delta;
use crate::git;
use crate::phases::Index;
use crate::program;

/// Where a line comes from.
#[derive(Debug, PartialEq, Eq)]
pub struct Birth {
    /// The number of the phase.
    pub number: String,
    /// The name of the phase.
    pub name: String,
    /// The file inside that phase's folder.
    pub path: String,
    /// The line in that file, counted from 1.
    pub line: usize,
}

/// Walks back from phase `number` for as long as the differences between phases keep `line` of
/// `file`.
///
/// Text alone would not do: a `}` is in every phase.
pub fn born(root: &Path, number: &str, file: &str, line: usize) -> Result<Birth> {
    let index = Index::load(root)?;
    let mut phase = index.find_step(number)?;
    let mut program = program::read_nameless(root, phase)?;
    let Some(mut path) = program::find_file(&program, file) else {
        bail!(
            "phase {} has no file {file}; it has {}",
            phase.number,
            program.keys().cloned().collect::<Vec<_>>().join(", ")
        );
    };
    let length = program[&path].lines().count();
    if line == 0 || line > length {
        bail!(
            "{path} of phase {} has {length} lines, so no line {line}",
            phase.number
        );
    }
    let mut line = line;
    while let Some(previous) = index.previous(phase) {
        let older = program::read_nameless(root, previous)?;
        let Some(old_path) = older_path(&older, &program, &path)? else {
            break;
        };
        let Some(old_line) = older_line(&older[&old_path], &program[&path], line) else {
            break;
        };
        (phase, program, path, line) = (previous, older, old_path, old_line);
    }
    Ok(Birth {
        number: phase.number.clone(),
        name: phase.name.clone(),
        path,
        line,
    })
}

impl fmt::Display for Birth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "born in phase {} ({}), {}:{}",
            self.number, self.name, self.path, self.line
        )
    }
}

fn older_path(
    old: &program::Program,
    new: &program::Program,
    path: &str,
) -> Result<Option<String>> {
    if old.contains_key(path) {
        return Ok(Some(path.to_owned()));
    }
    Ok(git::renames(old, new)?
        .into_iter()
        .find(|(_, renamed)| renamed == path)
        .map(|(before, _)| before))
}

fn older_line(old: &str, new: &str, line: usize) -> Option<usize> {
    let diff = delta::lines(old, new);
    let mut lines = diff.iter_all_changes();
    let found = lines.find(|found| found.new_index() == Some(line - 1))?;
    found.old_index().map(|index| index + 1)
}
