//! The index of the phases, `phases/phases.toml`, as far as the matrix needs it.

use std::fs;

use serde::Deserialize;

/// The phases that exist, in their order; 00 is not a proxy and is left out.
pub fn phases() -> Vec<Phase> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../phases/phases.toml");
    let text = fs::read_to_string(path).expect("phases/phases.toml can be read");
    let index: Index = toml::from_str(&text).expect("phases/phases.toml is an index of phases");
    let phases = index.phase.into_iter();
    phases.filter(|phase| phase.number() > 0).collect()
}

#[derive(Debug, Deserialize)]
struct Index {
    phase: Vec<Phase>,
}

/// One phase's entry.
#[derive(Debug, Deserialize)]
pub struct Phase {
    number: String,
    /// What is planted in this phase.
    #[serde(default, rename = "flaw")]
    pub flaws: Vec<Flaw>,
    /// The ids of the flaws that this phase cures.
    #[serde(default)]
    pub cures: Vec<String>,
}

/// A mistake that a chapter is about.
#[derive(Debug, Deserialize)]
pub struct Flaw {
    /// What the matrix calls it.
    pub id: String,
    /// What a user of the proxy sees.
    pub symptom: String,
}

impl Phase {
    /// Its number.
    pub fn number(&self) -> u8 {
        self.number.parse().expect("a phase's number is a number")
    }
}
