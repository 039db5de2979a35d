//! The README's tables. It is read as it is, without a build, so what the bench has measured stands
//! in it; but nobody types it: a comment names the table, and what follows is filled in.
//!
//! ```text
//! <!-- bench fair table 2 -->
//! …
//! <!-- end of bench -->
//! ```

use std::path::Path;

use anyhow::{Context, Result};

use crate::directives::bench::bench;

/// The text of a README with its tables as the committed results have them.
pub fn filled(root: &Path, text: &str) -> Result<String> {
    let mut filled = String::new();
    let mut lines = text.lines().enumerate();

    while let Some((number, line)) = lines.next() {
        filled += &format!("{line}\n");

        let words = line.strip_prefix("<!-- bench ");
        if let Some(words) = words.and_then(|line| line.strip_suffix(" -->")) {
            let place = || format!("README.md:{}: {line}", number + 1);
            let words: Vec<_> = words.split(' ').collect();
            let table = bench(root, &words).with_context(place)?;

            filled += &format!("\n{}\n\n{END}\n", table.trim());
            lines
                .by_ref()
                .find(|(_, line)| *line == END)
                .context("there is no end of it")
                .with_context(place)?;
        }
    }
    Ok(filled)
}

const END: &str = "<!-- end of bench -->";
