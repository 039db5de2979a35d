//! Everything that must hold between the phases, looked at in one go: all failures are listed, not
//! only the first.

mod circles;
mod failure;
mod folder;
mod index;
mod step;
mod uses;

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

pub use failure::Failure;
use failure::Failures;

use crate::delta;
use crate::phases::Index;
use crate::propagate;

/// Looks at the index, the folders and the deltas below `root`.
pub fn phases(root: &Path) -> Result<Vec<Failure>> {
    let index = Index::load(root)?;
    let mut failures = Failures::default();
    unfinished_propagation(root, &mut failures);
    index::numbers(&index, &mut failures);
    index::flaws(&index, &mut failures);
    index::strangers(root, &index, &mut failures)?;
    let mut changed_before = false;
    for phase in &index.phases {
        if !root.join(phase.folder()).is_dir() {
            failures.add(
                format!(
                    "phase {}: there is no folder {}",
                    phase.number,
                    phase.folder().display()
                ),
                "add the folder, or correct the number or name in phases/phases.toml",
            );
            continue;
        }
        folder::files(root, phase, &mut failures);
    }
    for phase in index.steps() {
        match delta::of(root, &index, phase) {
            Ok(delta) => {
                step::budget(phase, &delta, &mut failures);
                changed_before = !step::same_as_blessed(
                    root,
                    &index,
                    phase,
                    &delta,
                    changed_before,
                    &mut failures,
                );
            }
            Err(error) => failures.add(
                format!("phase {}: {error:#}", phase.number),
                "mend this first",
            ),
        }
    }
    circles::phases(root, &index, &mut failures);
    circles::tools(root, &mut failures)?;
    Ok(failures.list)
}

/// Looks at format, lints and what the book shows of the phases, which takes a build.
pub fn cargo(root: &Path) -> Result<Vec<Failure>> {
    let mut failures = Failures::default();
    let commands = [
        ("fmt --all --check", "run `cargo fmt --all`"),
        (
            "clippy --workspace --all-targets -- -D warnings",
            "mend what clippy says above",
        ),
        (
            "run --quiet --package book-preprocessor -- check",
            "mend the chapters that are listed above, or the phase",
        ),
    ];
    for (arguments, mend) in commands {
        let status = Command::new("cargo")
            .current_dir(root)
            .args(arguments.split(' '))
            .status();
        if !status.context("cannot run cargo")?.success() {
            failures.add(format!("`cargo {arguments}` fails"), mend);
        }
    }
    Ok(failures.list)
}

fn unfinished_propagation(root: &Path, failures: &mut Failures) {
    // Without a repository, as in an unpacked archive, nothing can be unfinished.
    if let Ok(Some(number)) = propagate::stopped_in(root) {
        failures.add(
            format!("a propagation waits in phase {number}"),
            "finish it with `cargo xtask propagate --continue`, or give it up with `--abort`",
        );
    }
}
