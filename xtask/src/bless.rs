//! Writes `phases/deltas/NN.diff` from what the phases really change.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::delta;
use crate::phases::{Index, Phase};

/// A delta that was rewritten.
#[derive(Debug, PartialEq, Eq)]
pub struct Blessed {
    /// The number of the phase.
    pub number: String,
    /// Whether added and removed lines stayed as they were, so that only the lines around them
    /// differ.
    pub only_context: bool,
}

/// Rewrites the deltas of `phases`; returns those that changed.
pub fn bless<'a>(
    root: &Path,
    index: &Index,
    phases: impl IntoIterator<Item = &'a Phase>,
) -> Result<Vec<Blessed>> {
    let mut blessed = Vec::new();
    for phase in phases {
        let file = root.join(phase.delta_file());
        let found = fs::read_to_string(&file).unwrap_or_default();
        let wanted = delta::of(root, index, phase)?.to_string();
        if found != wanted || !file.exists() {
            fs::create_dir_all(root.join("phases/deltas"))
                .context("cannot create phases/deltas")?;
            fs::write(&file, &wanted)
                .with_context(|| format!("cannot write {}", file.display()))?;
            let only_context = changes(&found) == changes(&wanted);
            blessed.push(Blessed {
                number: phase.number.clone(),
                only_context,
            });
        }
    }
    Ok(blessed)
}

/// Removes deltas that belong to no phase of the index; returns their file names.
pub fn remove_strays(root: &Path, index: &Index) -> Result<Vec<String>> {
    let strays = strays(root, index)?;
    for name in &strays {
        let file = root.join("phases/deltas").join(name);
        fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
    }
    Ok(strays)
}

/// Files in `phases/deltas` that belong to no phase of the index.
pub fn strays(root: &Path, index: &Index) -> Result<Vec<String>> {
    let folder = root.join("phases/deltas");
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let known: Vec<_> = index
        .steps()
        .map(|phase| root.join(phase.delta_file()))
        .collect();
    let mut strays = Vec::new();
    for entry in fs::read_dir(&folder).context("cannot read phases/deltas")? {
        let entry = entry.context("cannot read phases/deltas")?;
        if !known.contains(&entry.path()) {
            strays.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    strays.sort();
    Ok(strays)
}

impl fmt::Display for Blessed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remark = if self.only_context {
            " (only lines around the changes)"
        } else {
            ""
        };
        write!(f, "{}.diff{remark}", self.number)
    }
}

/// The added and removed lines of a delta, without the lines around them.
pub fn changes(delta: &str) -> String {
    delta
        .split_inclusive('\n')
        .filter(|line| line.starts_with(['+', '-']))
        .collect()
}
