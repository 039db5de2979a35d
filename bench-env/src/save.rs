//! Writes what a scenario found.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::report;
use crate::result::Outcome;
use crate::scenario::Scenario;

/// Runs a scenario, and writes its results and its report.
pub async fn run_and_save(
    scenario: &Scenario,
    bench: &mut Bench,
    folder: &Path,
) -> Result<Outcome> {
    let outcome = scenario.run(bench).await?;
    save(&outcome, folder)?;
    Ok(outcome)
}

/// Writes the results and the report of one scenario.
pub fn save(outcome: &Outcome, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| {
        format!(
            "cannot create {}; choose another by --out",
            folder.display()
        )
    })?;
    let json = serde_json::to_string(outcome)?;
    fs::write(
        folder.join(format!("{}.json", outcome.scenario)),
        json + "\n",
    )?;
    report::write(outcome, folder)?;
    report::write_index(folder)
}
