//! A phase changes what its delta says, and no more than its budget allows.

use std::fs;
use std::path::Path;

use similar::ChangeTag;

use super::failure::Failures;
use crate::bless;
use crate::delta::{self, Delta};
use crate::phases::{Index, Phase};

pub(super) fn budget(phase: &Phase, delta: &Delta, failures: &mut Failures) {
    let (lines, files, number) = (
        delta.budgeted_lines(),
        delta.budgeted_files(),
        &phase.number,
    );
    if lines > phase.budget {
        failures.add(
            format!(
                "phase {number} changes {lines} lines; its budget is {}",
                phase.budget
            ),
            "make the step smaller, or raise `budget` in phases/phases.toml",
        );
    }
    if phase.reason.is_some() {
        return;
    }
    if phase.budget > Phase::LIMIT {
        failures.add(
            format!(
                "phase {number} has a budget of {} lines, above {}",
                phase.budget,
                Phase::LIMIT
            ),
            "lower it, or say in `reason` why the step cannot be smaller",
        );
    }
    if files > Phase::FILES {
        failures.add(
            format!(
                "phase {number} changes {files} files, more than {}",
                Phase::FILES
            ),
            "make the step smaller, or say in `reason` why it cannot be",
        );
    }
}

/// Compares a delta with the committed one. `changed_before` says that the phase before differed as
/// well, which is what a forgotten propagation looks like.
pub(super) fn same_as_blessed(
    root: &Path,
    index: &Index,
    phase: &Phase,
    delta: &Delta,
    changed_before: bool,
    failures: &mut Failures,
) -> bool {
    let number = &phase.number;
    let file = phase.delta_file();
    let real = delta.to_string();
    let Ok(blessed) = fs::read_to_string(root.join(&file)) else {
        failures.add(
            format!("{} is missing", file.display()),
            format!("run `cargo xtask bless {number}`"),
        );
        return false;
    };
    if blessed == real {
        return true;
    }
    let edited = index
        .previous(phase)
        .filter(|_| changed_before)
        .unwrap_or(phase);
    failures.add(
        format!("{} is not what phase {number} changes:\n{}", file.display(), excerpt(&blessed, &real)),
        format!(
            "fix forgotten to be propagated? run `cargo xtask propagate {}`; meant? run `cargo xtask bless {number}`",
            edited.number
        ),
    );
    false
}

/// The first lines in which two deltas differ; the first sign is `-` for what was blessed and `+`
/// for what is real.
fn excerpt(blessed: &str, real: &str) -> String {
    let mut lines = differing(&bless::changes(blessed), &bless::changes(real));
    if lines.is_empty() {
        // Only lines around the changes differ.
        lines = differing(blessed, real);
    }
    let shown = lines[..lines.len().min(EXCERPT_LINES)].join("\n");
    match lines.len().saturating_sub(EXCERPT_LINES) {
        0 => shown,
        hidden => format!("{shown}\n    … and {hidden} more lines"),
    }
}

fn differing(old: &str, new: &str) -> Vec<String> {
    let diff = delta::lines(old, new);
    let lines = diff
        .iter_all_changes()
        .filter(|line| line.tag() != ChangeTag::Equal);
    lines
        .map(|line| format!("    {} {}", line.tag(), line.value().trim_end()))
        .collect()
}

/// Enough to recognise one's own edit, few enough that ten failures fit on a screen or two.
const EXCERPT_LINES: usize = 8;
