//! Compiles the Rust that authors wrote by hand.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// The sketches that do not compile, each with the compiler's words.
pub fn broken(root: &Path, only: Option<&str>) -> Result<Vec<String>> {
    let pages = book_preprocessor::pages(root)?;
    let pages = pages
        .iter()
        .filter(|page| only.is_none_or(|only| page.path.starts_with(only)));
    let sketches: Vec<_> = pages.flat_map(book_preprocessor::sketches).collect();
    if sketches.is_empty() {
        return Ok(Vec::new());
    }

    // A package of its own, with the versions that the phases use.
    let folder = root.join("target/book-sketches");
    fs::create_dir_all(folder.join("src")).context("cannot create target/book-sketches")?;
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    fs::write(folder.join("Cargo.toml"), MANIFEST)?;
    let mut library = String::from("#![allow(dead_code, unused)]\n");
    for (number, sketch) in sketches.iter().enumerate() {
        // The name says where the sketch is when the compiler complains.
        let name = format!(
            "{}-line-{}.rs",
            sketch.page.trim_end_matches(".md"),
            sketch.line
        );
        fs::write(folder.join("src").join(&name), &sketch.code)?;
        library.push_str(&format!("#[path = \"{name}\"]\nmod sketch_{number};\n"));
    }
    fs::write(folder.join("src/lib.rs"), library)?;
    let output = Command::new("cargo")
        .current_dir(&folder)
        .args(["check", "--quiet", "--offline", "--message-format", "short"])
        .output()
        .context("cannot run cargo")?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Ok(said.lines().map(|line| format!("sketch: {line}")).collect())
}

const MANIFEST: &str = r#"[package]
name = "book-sketches"
version = "0.1.0"
edition = "2024"
publish = false

[dependencies]
anyhow = "1"
tokio = { version = "1", features = ["rt-multi-thread", "net", "io-util", "macros", "signal", "time", "sync"] }
tokio-util = { version = "0.7", features = ["rt"] }

[workspace]
"#;
