//! Makes tables and plots from the saved results, and from nothing else.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::plot::Plot;
use crate::result::{Outcome, SCHEMA};
use crate::scenario::{self, Scenario};
use crate::view::View;

mod notes;
mod pictures;
mod tables;

/// Reads results that were saved.
pub fn read(json: &str) -> Result<Outcome> {
    let outcome: Outcome = serde_json::from_str(json).context("these are no results of ours")?;
    ensure!(
        outcome.schema == SCHEMA,
        "the results have schema {}, and this program reads {SCHEMA}; measure again",
        outcome.schema
    );
    Ok(outcome)
}

/// The report without pictures, for a terminal.
pub fn markdown(outcome: &Outcome) -> String {
    render(outcome, |_| String::new())
}

/// Writes `NAME.md` with its pictures as files beside it, and `NAME.book.md` with the
/// pictures inside, where they take the colours of the page.
pub fn write(outcome: &Outcome, folder: &Path) -> Result<()> {
    let mut pictures = Vec::new();
    let linked = render(outcome, |plot| {
        pictures.push((format!("{}.svg", plot.id), plot.file()));
        format!("![{}]({}.svg)\n\n", plot.title, plot.id)
    });
    let inside = render(outcome, |plot| {
        format!("<figure>\n{}</figure>\n\n", plot.inline())
    });

    let name = &outcome.scenario;
    pictures.push((format!("{name}.md"), linked));
    pictures.push((format!("{name}.book.md"), inside));
    for (file, content) in pictures {
        let path = folder.join(file);
        fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Writes the front page of a folder: what there is in it.
pub fn write_index(folder: &Path) -> Result<()> {
    let mut text = "# Results\n\nMade by `bench-env report` from the JSON files beside them; \
        edit neither. How it was measured, and what the JSON means, is in the README of \
        `bench-env`.\n\n"
        .to_owned();
    for scenario in scenario::SCENARIOS {
        if folder.join(format!("{}.md", scenario.name)).exists() {
            let Scenario { name, question, .. } = scenario;
            text.push_str(&format!("- [{name}]({name}.md): {question}\n"));
        }
    }
    let path = folder.join("README.md");
    fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn render(outcome: &Outcome, mut show: impl FnMut(&Plot) -> String) -> String {
    let scenario = scenario::find(&outcome.scenario);
    let views = scenario
        .map(|scenario| (scenario.views)())
        .unwrap_or_default();
    let question = scenario.map_or("", |scenario| scenario.question);

    let mut text = format!("## {}: {question}\n\n", outcome.scenario);
    text.push_str(&notes::how(outcome));
    for view in views {
        match view {
            View::Table { figures } => text.push_str(&tables::by_contender(outcome, figures)),
            View::Cases { figures } => text.push_str(&tables::by_case(outcome, figures)),
            View::Ratios { base, figures } => {
                text.push_str(&tables::ratios(outcome, base, figures));
            }
            View::Text(write) => {
                text.push_str(&write(outcome));
                text.push('\n');
            }
            View::Bars { figure, title } => {
                text.push_str(
                    &pictures::bars(outcome, figure, title)
                        .map_or_else(String::new, |plot| show(&plot)),
                );
            }
            View::Lines { figures, title, x } => {
                text.push_str(
                    &pictures::lines(outcome, figures, title, x)
                        .map_or_else(String::new, |plot| show(&plot)),
                );
            }
            View::MemoryOverTime { title } => {
                text.push_str(
                    &pictures::memory(outcome, title).map_or_else(String::new, |plot| show(&plot)),
                );
            }
        }
    }
    text.push_str(&notes::left_out(outcome));
    text.push_str(&notes::errors(outcome));
    text.push_str(&notes::limits(outcome));
    text.push_str(&notes::contenders(outcome));
    text.push_str(&notes::machine(outcome));
    text
}
