//! Hands the book's commands to the crates that know how.
//!
//! Rendering needs mdBook, which takes minutes to compile the first time, so it lives in a crate
//! that nothing else depends on. Resolving the chapters needs little, and `check` does it always.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// Resolves the chapters without rendering them; whether everything holds.
pub fn text(root: &Path, only: Option<&str>) -> Result<bool> {
    let mut arguments = vec!["check"];
    arguments.extend(only.iter().flat_map(|only| ["--only", *only]));
    run(root, "book-preprocessor", &arguments)
}

/// Runs the crate that renders the book; whether it succeeded.
pub fn build(root: &Path, arguments: &[&str]) -> Result<bool> {
    run(root, "book-build", arguments)
}

fn run(root: &Path, package: &str, arguments: &[&str]) -> Result<bool> {
    let status = Command::new("cargo")
        .current_dir(root)
        .args(["run", "--quiet", "--package", package, "--"])
        .args(arguments)
        .status();
    Ok(status.context("cannot run cargo")?.success())
}
