//! What one phase changes, as a unified diff that says where by its context and not by line
//! numbers.
//!
//! A fix that is carried forward shifts every later line. Without numbers in the hunk heads it
//! leaves all later deltas as they were, so a delta that changes is worth a look.

use std::fmt::{self, Write as _};
use std::path::Path;

use anyhow::Result;
use similar::{Algorithm, ChangeTag, DiffOp, TextDiff};

use crate::phases::{Index, Phase};
use crate::program::{self, Program};

/// The difference between two programs, file by file in sorted order.
#[derive(Debug)]
pub struct Delta {
    /// Only the files that differ.
    pub files: Vec<FileDelta>,
}

/// The difference in one file.
#[derive(Debug)]
pub struct FileDelta {
    /// The path inside the phase's folder.
    pub path: String,
    /// The two lines that name the file.
    pub head: String,
    /// The hunks.
    pub body: String,
    /// Added and removed lines that are not blank.
    pub changed_lines: usize,
}

/// What `phase` changes in the working tree below `root`.
pub fn of(root: &Path, index: &Index, phase: &Phase) -> Result<Delta> {
    let old = match index.previous(phase) {
        Some(previous) => program::read_nameless(root, previous)?,
        None => Program::new(),
    };
    Ok(between(&old, &program::read_nameless(root, phase)?))
}

/// The difference between two programs whose own names are already alike.
pub fn between(old: &Program, new: &Program) -> Delta {
    let mut paths: Vec<&String> = old.keys().chain(new.keys()).collect();
    paths.sort();
    paths.dedup();
    let differing = paths
        .into_iter()
        .filter(|path| old.get(*path) != new.get(*path));
    let files = differing
        .map(|path| file(path, old.get(path), new.get(path)))
        .collect();
    Delta { files }
}

/// The lines of two texts, matched.
pub fn lines<'old, 'new>(old: &'old str, new: &'new str) -> TextDiff<'old, 'new, str> {
    // Histogram anchors on rare lines, so an added function stays in one piece.
    TextDiff::configure()
        .algorithm(Algorithm::Histogram)
        .diff_lines(old, new)
}

impl Delta {
    /// Lines that count for the budget. Unit tests do not: a phase should not save on them.
    pub fn budgeted_lines(&self) -> usize {
        self.budgeted().map(|file| file.changed_lines).sum()
    }

    /// Files that a reader has to think about. A few lines in `lib.rs` or `Cargo.toml` only connect
    /// what was added elsewhere.
    pub fn budgeted_files(&self) -> usize {
        self.budgeted()
            .filter(|file| file.changed_lines > WIRING_LINES)
            .count()
    }

    fn budgeted(&self) -> impl Iterator<Item = &FileDelta> {
        self.files
            .iter()
            .filter(|file| file.path.rsplit('/').next() != Some("tests.rs"))
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.files
            .iter()
            .try_for_each(|file| write!(f, "{}{}", file.head, file.body))
    }
}

/// As many lines as it takes to pass a value on; a file with more has something to say.
const WIRING_LINES: usize = 10;

fn file(path: &str, old: Option<&String>, new: Option<&String>) -> FileDelta {
    let side = |letter: &str, text: Option<&String>| match text {
        Some(_) => format!("{letter}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let head = format!("--- {}\n+++ {}\n", side("a", old), side("b", new));
    let diff = lines(
        old.map_or("", String::as_str),
        new.map_or("", String::as_str),
    );
    let changed = diff
        .iter_all_changes()
        .filter(|line| line.tag() != ChangeTag::Equal);
    FileDelta {
        path: path.to_owned(),
        head,
        body: diff
            .grouped_ops(CONTEXT)
            .iter()
            .map(|group| hunk(&diff, group))
            .collect(),
        changed_lines: changed
            .filter(|line| !line.value().trim().is_empty())
            .count(),
    }
}

/// Unchanged lines around a change: enough to find the place, and what every other tool shows.
const CONTEXT: usize = 3;

fn hunk(diff: &TextDiff<'_, '_, str>, group: &[DiffOp]) -> String {
    let mut text = String::from("@@ @@\n");
    for line in group.iter().flat_map(|op| diff.iter_changes(op)) {
        let sign = match line.tag() {
            ChangeTag::Equal => ' ',
            ChangeTag::Delete => '-',
            ChangeTag::Insert => '+',
        };
        // Writing to a `String` cannot fail. `line` ends itself with a newline.
        let _ = write!(text, "{sign}{line}");
        if line.missing_newline() {
            text.push_str("\\ No newline at end of file\n");
        }
    }
    text
}
