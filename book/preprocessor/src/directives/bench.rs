//! `bench`: what the bench of this project has measured, from its committed reports.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// `fair`, `fair table 1`, `fair plot 2` or `fair section Machine`
pub fn bench(root: &Path, words: &[&str]) -> Result<String> {
    let [scenario, part @ ..] = words else {
        bail!(
            "it takes the name of a scenario, then perhaps `table N`, `plot N` or `section TITLE`"
        );
    };
    let file = format!("bench-env/results/{scenario}.book.md");
    let report =
        fs::read_to_string(root.join(&file)).with_context(|| format!("there is no {file}"))?;
    let blocks: Vec<&str> = report.split("\n\n").map(str::trim).collect();
    let nth = |start: &str, number: &str| -> Result<usize> {
        let number: usize = number.parse().context("the number is not understood")?;
        let mut found = (0..blocks.len()).filter(|place| blocks[*place].starts_with(start));
        let place = number.checked_sub(1).and_then(|skipped| found.nth(skipped));
        place.with_context(|| format!("{file} has no {} {number}", part[0]))
    };
    let is_heading = |block: &str| block.starts_with("**") && block.ends_with("**");
    let text = match part {
        // The chapter has a heading of its own.
        [] => blocks[1..].join("\n\n"),
        ["plot", number] => blocks[nth("<figure>", number)?].to_owned(),
        ["table", number] => {
            let place = nth("|", number)?;
            let before = place.checked_sub(1).map(|before| blocks[before]);
            let heading = before.filter(|block| is_heading(block));
            format!("{}\n\n{}", heading.unwrap_or_default(), blocks[place])
        }
        ["section", title @ ..] => {
            let heading = format!("**{}**", title.join(" "));
            let place = blocks.iter().position(|block| *block == heading);
            let place = place.with_context(|| format!("{file} has no section {heading}"))?;
            blocks
                .get(place + 1)
                .copied()
                .unwrap_or_default()
                .to_owned()
        }
        _ => bail!("it takes `table N`, `plot N` or `section TITLE`"),
    };
    Ok(text + "\n")
}
