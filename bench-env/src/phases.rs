//! The phases: which there are, and their programs.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::workplace::Workplace;

/// The phases of this workspace.
#[derive(Debug)]
pub struct Phases {
    /// Their numbers, in order, without the backends of phase 00.
    pub numbers: Vec<u8>,

    /// Cargo's profile by which they are built.
    pub profile: String,

    programs: BTreeMap<u8, PathBuf>,
}

impl Phases {
    /// Looks which there are.
    pub fn new(profile: &str) -> Result<Self> {
        let folder = workspace().join("phases");
        let entries = fs::read_dir(&folder)
            .with_context(|| format!("cannot find the phases in {}", folder.display()))?;
        let mut numbers: Vec<u8> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.split_once('-')?.0.parse().ok())
            .filter(|&number| number > 0)
            .collect();
        numbers.sort_unstable();

        Ok(Self {
            numbers,
            profile: profile.to_owned(),
            programs: BTreeMap::new(),
        })
    }

    /// The last one.
    pub fn newest(&self) -> Result<u8> {
        self.numbers.last().copied().context("there are no phases")
    }

    /// Those that stand beside the other proxies: where the article ended, and where
    /// this project is.
    pub fn compared(&self) -> Result<impl Iterator<Item = u8> + use<>> {
        let newest = Some(self.newest()?).filter(|&newest| newest != FINISHED);
        Ok([FINISHED].into_iter().chain(newest))
    }

    /// The program of a phase that was built.
    pub fn program(&self, number: u8) -> Option<&Path> {
        self.programs.get(&number).map(PathBuf::as_path)
    }

    /// Builds those of `numbers` that were not built yet, all by one command.
    pub async fn build(&mut self, numbers: &[u8], workplace: &Workplace) -> Result<()> {
        let wanted: BTreeSet<u8> = numbers
            .iter()
            .copied()
            .filter(|number| !self.programs.contains_key(number))
            .collect();
        let wanted: Vec<String> = wanted.into_iter().map(package).collect();
        if wanted.is_empty() {
            return Ok(());
        }
        eprintln!("building {} ({})", wanted.join(", "), self.profile);

        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .current_dir(workspace())
            .args(["build", "--bins", "--profile", &self.profile])
            .arg("--message-format=json-render-diagnostics");
        for package in &wanted {
            command.args(["--package", package]);
        }

        let folder = workplace.folder("build")?;
        let mut process = workplace.start("cargo", command, &folder)?;
        let status = process.wait(BUILD_LIMIT).await?;
        ensure!(
            status.success(),
            "cargo cannot build:\n{}",
            process.last_words()
        );

        let output = fs::read_to_string(&process.output)?;
        for message in output
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
        {
            let Message { target, executable } = message;
            let number = target
                .name
                .strip_prefix("phase-")
                .and_then(|n| n.parse().ok());
            if let (Some(number), Some(executable)) = (number, executable) {
                self.programs.insert(number, executable);
            }
        }
        Ok(())
    }
}

/// The article's finished proxy.
pub const FINISHED: u8 = 12;

/// How Cargo calls a phase.
pub fn package(number: u8) -> String {
    format!("phase-{number:02}")
}

/// A line of Cargo's that tells of a finished artifact; other lines lack a field.
#[derive(Deserialize)]
struct Message {
    target: Target,

    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
}

fn workspace() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

/// All phases with link-time optimisation on a small machine.
const BUILD_LIMIT: Duration = Duration::from_secs(3600);
