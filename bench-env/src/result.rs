//! What a run leaves behind: the schema of the JSON files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::left_out::LeftOut;
use crate::machine::Machine;

/// Everything that one scenario found.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome {
    /// Raised when a reader of older files would misunderstand this one.
    pub schema: u32,

    /// The name of the scenario.
    pub scenario: String,

    /// When it began, in UTC, RFC 3339.
    pub started: String,

    /// Where it ran.
    pub machine: Machine,

    /// How it was asked to run.
    pub settings: Settings,

    /// Who took part, in the order of the tables.
    pub contenders: Vec<Contestant>,

    /// The kinds of work, in the order of the tables.
    pub cases: Vec<CaseInfo>,

    /// Who or what could not take part, and why.
    pub left_out: Vec<LeftOut>,

    /// Every run of every contender, also the warm-up.
    pub measurements: Vec<Measurement>,
}

/// How a scenario was asked to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Settings {
    /// Seconds of each run.
    pub seconds: u64,

    /// Rounds that count.
    pub rounds: u32,

    /// Connections of the load generator, unless a case says otherwise.
    pub connections: u32,

    /// Requests after which a backend closes a connection.
    pub keepalive_requests: u32,

    /// Cargo's profile by which the phases were built.
    pub phase_profile: String,
}

/// A contender, as the report names it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Contestant {
    /// Its short name.
    pub name: String,

    /// What it is.
    pub what: String,
}

/// A kind of work, as the report names it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CaseInfo {
    /// Its short name.
    pub name: String,

    /// Where it stands on the axis of a plot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
}

/// One contender at one kind of work in one round.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measurement {
    /// Whose.
    pub contender: String,

    /// At which work.
    pub case: String,

    /// 0 is the warm-up, which does not count.
    pub round: u32,

    /// What was measured.
    pub figures: BTreeMap<Figure, f64>,

    /// What went wrong, by kind; nothing if nothing did.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, u64>,

    /// What else than the contender may have decided the figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limited_by: Vec<String>,

    /// The contender over time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
}

/// The processes of a contender at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Seconds since the measurement began.
    pub at: f64,

    /// CPU seconds used since their start.
    pub cpu_seconds: f64,

    /// Resident memory.
    pub rss_kib: u64,

    /// Proportional memory.
    pub pss_kib: u64,
}

impl Measurement {
    /// An empty one.
    pub fn new(contender: &str, case: &str, round: u32) -> Self {
        Self {
            contender: contender.to_owned(),
            case: case.to_owned(),
            round,
            figures: BTreeMap::new(),
            errors: BTreeMap::new(),
            limited_by: Vec::new(),
            samples: Vec::new(),
        }
    }

    /// Adds a figure, if it is a number at all.
    pub fn set(&mut self, figure: Figure, value: f64) {
        if value.is_finite() {
            self.figures.insert(figure, value);
        }
    }

    /// A figure, if it was measured.
    pub fn get(&self, figure: Figure) -> Option<f64> {
        self.figures.get(&figure).copied()
    }

    /// Whether it counts: not a warm-up, and nothing went wrong.
    pub fn is_clean(&self) -> bool {
        self.round > 0 && self.errors.is_empty()
    }
}

/// What this program writes and reads.
pub const SCHEMA: u32 = 1;
