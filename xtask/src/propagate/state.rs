//! What a stopped propagation remembers, in a file that no commit picks up.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::git;

/// What a stopped propagation remembers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// The phase that was edited.
    pub(super) from: String,
    /// The phase that holds the markers.
    pub(super) stopped_in: String,
    /// The files that hold them.
    pub(super) files: Vec<String>,
    /// The last commit when it started.
    pub(super) head: String,
}

impl State {
    const FILE: &str = "xtask-propagate.toml";

    pub(super) fn load(root: &Path) -> Result<Option<Self>> {
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

    pub(super) fn load_or_fail(root: &Path) -> Result<Self> {
        Self::load(root)?.context("no propagation waits: start one with `cargo xtask propagate NN`")
    }

    pub(super) fn save(&self, root: &Path) -> Result<()> {
        let file = git::private_file(root, Self::FILE)?;
        fs::write(&file, toml::to_string(self)?)
            .with_context(|| format!("cannot write {}", file.display()))
    }

    pub(super) fn remove(root: &Path) -> Result<()> {
        let file = git::private_file(root, Self::FILE)?;
        if file.exists() {
            fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        }
        Ok(())
    }
}
