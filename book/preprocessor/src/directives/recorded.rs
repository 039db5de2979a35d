//! `run`: what was recorded.

use anyhow::{Result, bail, ensure};

use super::Resolver;
use crate::render;
use crate::runs::Run;

impl Resolver<'_> {
    /// `04 failover`, `04 failover log` or `04 failover commands`
    pub(super) fn run(&mut self, words: &[&str]) -> Result<String> {
        let (number, name, part) = match words {
            [number, name] => (number, name, Shown::All),
            [number, name, "log"] => (number, name, Shown::Log),
            [number, name, "commands"] => (number, name, Shown::Commands),
            _ => bail!(
                "it takes the number of a chapter, the name of a run, and perhaps `log` or `commands`"
            ),
        };
        let runs = self.project.runs.get(*number);
        let runs = runs.map(Vec::as_slice).unwrap_or_default();
        let Some(run) = runs.iter().find(|run| run.name == *name) else {
            let names: Vec<_> = runs.iter().map(|run| run.name.as_str()).collect();
            bail!(
                "book/runs/{number}-*.toml has no such run; there are: {}",
                names.join(", ")
            );
        };
        ensure!(
            is_recorded(run),
            "it is not recorded yet: run `cargo xtask book bless --only {number}`"
        );
        Ok(transcript(run, part))
    }
}

/// Which part of a run.
#[derive(Clone, Copy)]
enum Shown {
    All,
    Log,
    Commands,
}

/// Whether anything has been recorded. Not every step has something to say.
fn is_recorded(run: &Run) -> bool {
    let says = |step: &crate::runs::Step| !step.output.is_empty();
    !run.output.is_empty() || run.steps.iter().any(says)
}

/// A console as the reader would see it, and the log as the other terminal shows it.
fn transcript(run: &Run, part: Shown) -> String {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let mut add = |language, text: &str| {
        let is_shown = match part {
            Shown::All => true,
            Shown::Log => language == "text",
            Shown::Commands => language != "text",
        };
        if text.is_empty() || !is_shown {
            return;
        }
        match blocks.last_mut() {
            Some((same, block)) if *same == language => block.push_str(text),
            _ => blocks.push((language, text.to_owned())),
        }
        if let Some((_, block)) = blocks.last_mut()
            && !block.ends_with('\n')
        {
            block.push('\n');
        }
    };
    if let Some(line) = run.start_line() {
        add("console", &format!("$ {line}"));
        add("console", &run.output);
    }
    for step in &run.steps {
        match step.typed(run) {
            Some(line) => {
                add("console", &line);
                add("console", &step.output);
            }
            None => add("text", &step.output),
        }
    }
    let mut inside = String::new();
    for (language, text) in &blocks {
        if *language == "text" {
            inside.push_str("<p class=\"log\">log</p>\n\n");
        }
        inside.push_str(&render::fence(language, text));
        inside.push_str("\n\n");
    }
    format!(
        "<figure class=\"run\">\n<figcaption>{}</figcaption>\n\n{inside}</figure>\n",
        render::escape(&run.about)
    )
}
