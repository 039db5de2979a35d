//! The index of the phases, `phases/phases.toml`: their order, names, budgets and planted flaws.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// All phases, in the order of their numbers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// The phases; `00` is what the others proxy to, and takes no part in deltas.
    #[serde(rename = "phase")]
    pub phases: Vec<Phase>,
}

/// One step of the proxy.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Two digits, `07`.
    pub number: String,
    /// The second half of the folder's name: `proxy-protocol`.
    pub name: String,
    /// The title of the chapter.
    pub title: String,
    /// One line: what this phase adds.
    pub adds: String,
    /// The most lines this phase may change.
    #[serde(default = "aim")]
    pub budget: usize,
    /// Why the phase needs more than [`Phase::LIMIT`] lines or [`Phase::FILES`] files.
    pub reason: Option<String>,
    /// Ids of the flaws that this phase cures.
    #[serde(default)]
    pub cures: Vec<String>,
    /// The flaws that are born here.
    #[serde(default, rename = "flaw")]
    pub flaws: Vec<Flaw>,
}

/// Something a phase does wrong on purpose, so that a later phase can mend it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flaw {
    /// The name that tests and chapters use.
    pub id: String,
    /// What a user of the proxy sees.
    pub symptom: String,
}

impl Index {
    /// Reads the index below `root`.
    pub fn load(root: &Path) -> Result<Self> {
        let path = root.join("phases/phases.toml");
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).context("phases/phases.toml does not have the expected form")
    }

    /// The phase with this number; `7` is as good as `07`.
    pub fn find(&self, number: &str) -> Result<&Phase> {
        let wanted = format!("{number:0>2}");
        match self.phases.iter().find(|phase| phase.number == wanted) {
            Some(phase) => Ok(phase),
            None => bail!("there is no phase {wanted} in phases/phases.toml"),
        }
    }

    /// The phase with this number, which must be a step of the proxy: `00` is refused.
    pub fn find_step(&self, number: &str) -> Result<&Phase> {
        let phase = self.find(number)?;
        if !phase.is_step() {
            bail!("phase 00 is what the others proxy to: no other phase continues it");
        }
        Ok(phase)
    }

    /// The steps of the proxy: every phase but `00`.
    pub fn steps(&self) -> impl Iterator<Item = &Phase> {
        self.phases.iter().filter(|phase| phase.is_step())
    }

    /// The step before `phase`, which the first one does not have.
    pub fn previous(&self, phase: &Phase) -> Option<&Phase> {
        self.steps()
            .take_while(|step| step.number != phase.number)
            .last()
    }

    /// The steps after `phase`.
    pub fn after(&self, phase: &Phase) -> Vec<&Phase> {
        self.steps()
            .skip_while(|step| step.number != phase.number)
            .skip(1)
            .collect()
    }

    /// The phases that cure this flaw; two of them share the work, none leaves it in.
    pub fn cured_in(&self, flaw: &Flaw) -> Vec<&Phase> {
        self.phases
            .iter()
            .filter(|phase| phase.cures.contains(&flaw.id))
            .collect()
    }
}

impl Phase {
    /// Changed lines a step should keep to: what a reader takes in at one sitting.
    pub const AIM: usize = 150;
    /// Changed lines above which a step has to give a reason.
    pub const LIMIT: usize = 250;
    /// Changed files above which a step has to give a reason.
    pub const FILES: usize = 6;

    /// The name of the Cargo package: `phase-07`.
    pub fn package(&self) -> String {
        format!("phase-{}", self.number)
    }

    /// The folder, from the project's root: `phases/07-proxy-protocol`.
    pub fn folder(&self) -> PathBuf {
        Path::new("phases").join(format!("{}-{}", self.number, self.name))
    }

    /// The file that holds what this phase changes: `phases/deltas/07.diff`.
    pub fn delta_file(&self) -> PathBuf {
        Path::new("phases/deltas").join(format!("{}.diff", self.number))
    }

    fn is_step(&self) -> bool {
        self.number != "00"
    }
}

fn aim() -> usize {
    Phase::AIM
}
