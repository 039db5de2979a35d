//! What the book is about: the phases, and what each of them changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xtask::phases::{Index, Phase};
use xtask::program::{self, Program};

use crate::change::FileChange;
use crate::runs::{self, Run};

/// Everything that directives resolve to.
#[derive(Debug)]
pub struct Project {
    /// The folder of the workspace.
    pub root: PathBuf,
    /// The phases in their order.
    pub index: Index,
    /// The recorded runs, by chapter.
    pub runs: BTreeMap<String, Vec<Run>>,
    steps: BTreeMap<String, Step>,
}

/// One phase, next to the phase before.
#[derive(Debug)]
pub struct Step {
    /// Its entry in the index.
    pub phase: Phase,
    /// Its program, with its own name left open.
    pub program: Program,
    /// The program of the phase before.
    pub before: Program,
    /// The files that differ, in the order of the delta.
    pub changes: Vec<FileChange>,
    /// Where the committed delta is not what the phase changes.
    pub stale: Option<String>,
}

impl Project {
    /// Reads the phases and the recorded runs below `root`.
    pub fn load(root: &Path) -> Result<Self> {
        let index = Index::load(root)?;
        let mut steps = BTreeMap::new();
        for phase in &index.phases {
            let step = Step::load(root, &index, phase)?;
            steps.insert(phase.number.clone(), step);
        }
        Ok(Self {
            root: root.to_owned(),
            index,
            runs: runs::load(root)?,
            steps,
        })
    }

    /// The phase with this number; `4` is as good as `04`.
    pub fn step(&self, number: &str) -> Result<&Step> {
        let phase = self.index.find(number)?;
        Ok(&self.steps[&phase.number])
    }

    /// The phases in their order, `00` included.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.steps.values()
    }

    /// The file of the chapter about `phase`, for a link.
    pub fn chapter(phase: &Phase) -> String {
        format!("{}-{}.md", phase.number, phase.name)
    }
}

impl Step {
    fn load(root: &Path, index: &Index, phase: &Phase) -> Result<Self> {
        let program = program::read_nameless(root, phase)?;
        let mut step = Self {
            phase: phase.clone(),
            program,
            before: Program::new(),
            changes: Vec::new(),
            stale: None,
        };
        if phase.number == "00" {
            return Ok(step);
        }
        if let Some(previous) = index.previous(phase) {
            step.before = program::read_nameless(root, previous)?;
        }
        let mut paths: Vec<&String> = step.before.keys().chain(step.program.keys()).collect();
        paths.sort();
        paths.dedup();
        for path in paths {
            let (old, new) = (step.before.get(path), step.program.get(path));
            if old != new {
                step.changes.push(FileChange::new(path, old, new));
            }
        }
        let file = phase.delta_file();
        let delta = std::fs::read_to_string(root.join(&file)).unwrap_or_default();
        step.stale = number(&mut step.changes, &delta).map(|line| {
            format!("{}:{line} is not what the phase changes; see `cargo xtask diff`, then run `cargo xtask bless`", file.display())
        });
        Ok(step)
    }

    /// A file of the program.
    pub fn file(&self, path: &str) -> Result<&str> {
        let text = self.program.get(path).with_context(|| {
            let files: Vec<_> = self.program.keys().map(String::as_str).collect();
            format!(
                "phase {} has no {path}; it has {}",
                self.phase.number,
                files.join(", ")
            )
        })?;
        Ok(text)
    }

    /// What the phase changes in a file.
    pub fn change(&self, path: &str) -> Result<&FileChange> {
        let found = self.changes.iter().find(|change| change.path == path);
        found.with_context(|| {
            let files: Vec<_> = self
                .changes
                .iter()
                .map(|change| change.path.as_str())
                .collect();
            format!(
                "phase {} does not change {path}; it changes {}",
                self.phase.number,
                files.join(", ")
            )
        })
    }

    /// A text of the program with the phase's own name filled in again.
    pub fn own_names(&self, text: &str) -> String {
        let [package, library, folder] = program::names(&self.phase);
        text.replace("phase-NN", &package)
            .replace("phase_NN", &library)
            .replace("NN-name", &folder)
    }
}

/// Gives each changed line its place in the committed delta; returns the first line of the delta
/// that does not agree.
fn number(changes: &mut [FileChange], delta: &str) -> Option<usize> {
    let mut wanted = changes.iter_mut().flat_map(|change| &mut change.lines);
    let mut last = 0;
    for (index, text) in delta.lines().enumerate() {
        last = index + 1;
        if text.starts_with("--- ") || text.starts_with("+++ ") || !text.starts_with(['+', '-']) {
            continue;
        }
        let line = wanted.find(|line| line.is_changed());
        match line {
            Some(line) if line.sign_and_text() == text => line.in_delta = Some(last),
            _ => return Some(last),
        }
    }
    wanted.any(|line| line.is_changed()).then_some(last.max(1))
}
