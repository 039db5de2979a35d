//! What all scenarios of a run share.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::cli::Options;
use crate::contender::Contender;
use crate::machine::Machine;
use crate::phases::Phases;
use crate::programs::Programs;
use crate::progress::Progress;
use crate::workplace::Workplace;

/// The context of a run.
#[derive(Debug)]
pub struct Bench {
    /// As the command line says.
    pub options: Options,

    /// Where it takes place.
    pub workplace: Workplace,

    /// The programs of others.
    pub programs: Programs,

    /// The phases.
    pub phases: Phases,

    /// What is shown meanwhile.
    pub progress: Progress,

    /// Whether the figures do not matter: no warm-up, and several contenders at once.
    pub hurry: bool,

    /// The machine, as it was at the start.
    pub machine: Machine,
}

impl Bench {
    /// Gets everything ready; takes about a second.
    pub fn new(options: Options) -> Result<Self> {
        let programs = Programs::new();
        Ok(Self {
            workplace: Workplace::new()?,
            phases: Phases::new(options.profile.as_deref().unwrap_or("release"))?,
            machine: Machine::look(&programs),
            programs,
            hurry: false,
            progress: Progress::default(),
            options,
        })
    }

    /// Seconds of each run.
    pub fn seconds(&self, default: u64) -> u64 {
        self.options.duration.unwrap_or(default)
    }

    /// Rounds that count.
    pub fn rounds(&self, default: u32) -> u32 {
        self.options.rounds.unwrap_or(default)
    }

    /// Connections of the load generator.
    pub fn connections(&self) -> u32 {
        self.options.connections.unwrap_or(CONNECTIONS)
    }

    /// Those of the contenders that are wanted.
    pub fn select(&self, contenders: Vec<Contender>) -> Vec<Contender> {
        let wanted = &self.options.contenders;
        let is_wanted = |contender: &Contender| {
            wanted.is_empty() || wanted.iter().any(|name| contender.name.starts_with(name))
        };
        contenders.into_iter().filter(is_wanted).collect()
    }
}

/// Where the results go.
pub fn output_folder(options: &Options) -> PathBuf {
    let default = || Path::new("target").join("bench-env");
    options.out.clone().unwrap_or_else(default)
}

/// As in the article.
const CONNECTIONS: u32 = 100;
