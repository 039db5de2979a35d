//! Shows the difference between any two phases.

use std::path::Path;

use anyhow::{Result, bail};

use crate::delta::{self, Delta};
use crate::phases::Index;
use crate::program;

/// The difference from phase `old` to phase `new`, of one file or of all.
pub fn difference(root: &Path, old: &str, new: &str, file: Option<&str>) -> Result<Delta> {
    let index = Index::load(root)?;
    let old = program::read_nameless(root, index.find(old)?)?;
    let new = program::read_nameless(root, index.find(new)?)?;
    let mut delta = delta::between(&old, &new);
    if let Some(named) = file {
        let Some(path) =
            program::find_file(&new, named).or_else(|| program::find_file(&old, named))
        else {
            bail!("neither phase has a file {named}");
        };
        delta.files.retain(|file| file.path == path);
    }
    Ok(delta)
}

/// The delta with the colours that git uses.
pub fn coloured(delta: &Delta) -> String {
    let paint = |colour: &str, line: &str| format!("\x1b[{colour}m{line}\x1b[0m\n");
    let mut text = String::new();
    for file in &delta.files {
        text.extend(file.head.lines().map(|line| paint(BOLD, line)));
        text.extend(file.body.lines().map(|line| match line.chars().next() {
            Some('+') => paint(GREEN, line),
            Some('-') => paint(RED, line),
            Some('@') => paint(CYAN, line),
            _ => format!("{line}\n"),
        }));
    }
    text
}

const BOLD: &str = "1";
const RED: &str = "31";
const GREEN: &str = "32";
const CYAN: &str = "36";
