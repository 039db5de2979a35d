//! The index agrees with itself and with the folders.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use anyhow::{Context, Result};

use super::failure::Failures;
use crate::bless;
use crate::phases::{Index, Phase};

pub(super) fn numbers(index: &Index, failures: &mut Failures) {
    for (position, phase) in index.phases.iter().enumerate() {
        if phase.number != format!("{position:02}") {
            failures.add(
                format!(
                    "phases/phases.toml: phase {} stands where phase {position:02} belongs",
                    phase.number
                ),
                "number the phases 00, 01, 02 … in their order",
            );
        }
    }
}

pub(super) fn flaws(index: &Index, failures: &mut Failures) {
    let mut born: BTreeMap<&str, &Phase> = BTreeMap::new();
    for phase in &index.phases {
        for flaw in &phase.flaws {
            if let Some(other) = born.insert(&flaw.id, phase) {
                failures.add(
                    format!(
                        "flaw {} is born in phase {} and in phase {}",
                        flaw.id, other.number, phase.number
                    ),
                    "give the two flaws different ids",
                );
            }
        }
    }
    for phase in &index.phases {
        for id in &phase.cures {
            match born.get(id.as_str()) {
                None => failures.add(
                    format!("phase {} cures {id}, which no phase has", phase.number),
                    "correct the id, or add the flaw to the phase in which it is born",
                ),
                Some(birth) if birth.number >= phase.number => failures.add(
                    format!(
                        "phase {} cures {id}, which is born in phase {}",
                        phase.number, birth.number
                    ),
                    "a cure comes later than the flaw",
                ),
                Some(_) => {}
            }
        }
    }
}

/// Folders and deltas that the index does not know.
pub(super) fn strangers(root: &Path, index: &Index, failures: &mut Failures) -> Result<()> {
    let known: Vec<_> = index
        .phases
        .iter()
        .map(|phase| root.join(phase.folder()))
        .collect();
    let entries: io::Result<Vec<_>> = fs::read_dir(root.join("phases")).and_then(Iterator::collect);
    let mut entries = entries.context("cannot read phases/")?;
    entries.sort_by_key(DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(|first: char| first.is_ascii_digit()) && !known.contains(&entry.path())
        {
            failures.add(
                format!("phases/{name} is not in phases/phases.toml"),
                "add a [[phase]] for it",
            );
        }
    }
    for name in bless::strays(root, index)? {
        failures.add(
            format!("phases/deltas/{name} belongs to no phase"),
            "run `cargo xtask bless`, which removes it",
        );
    }
    Ok(())
}
