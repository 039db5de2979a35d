//! Looks for inputs that phase 13's parser cannot stand, for a bounded time.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// Fuzzes for so many seconds, and says whether all went well. Cargo and libFuzzer
/// say what did not.
pub fn run(root: &Path, seconds: u32) -> Result<bool> {
    let target = root.join("target/fuzz");
    let found = target.join("corpus");
    fs::create_dir_all(&found).with_context(|| format!("cannot create {}", found.display()))?;

    let status = Command::new("cargo")
        .current_dir(root.join("fuzz"))
        // With a target named, the flags are not for build scripts and macros.
        .args(["run", "--release", "--target", "host-tuple", "--target-dir"])
        .arg(&target)
        .env("RUSTFLAGS", FLAGS.join(" "))
        .arg("--")
        // What is found goes into the first folder; the others are where it begins.
        .arg(&found)
        .args([root.join("fuzz/corpus/hello"), root.join("tests/hellos")])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-artifact_prefix={}/", target.display()))
        .status()
        .context("cannot run cargo")?;
    Ok(status.success())
}

/// Lets the program tell libFuzzer where it has been, as the compiler of C does it with
/// `-fsanitize=fuzzer`. All of this is stable; the sanitizers are not.
const FLAGS: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];
