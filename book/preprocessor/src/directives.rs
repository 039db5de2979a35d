//! Turns the directives of one page into Markdown.

pub mod bench;
mod bytes;
mod code;
mod figure;
mod inline;
mod matrix;
mod recorded;
mod tables;
mod tree;
mod way;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail, ensure};

use crate::page::{Failure, Page, Part};
use crate::project::{Project, Step};

/// Resolves one page, and remembers what it has shown.
#[derive(Debug)]
pub struct Resolver<'a> {
    /// The phases.
    pub project: &'a Project,
    /// The page as it was written.
    pub page: &'a Page,
    /// The phase that the page is the chapter of.
    pub step: Option<&'a Step>,
    /// What did not resolve.
    pub failures: Vec<Failure>,
    /// The lines of the phase's change that the page shows, by file.
    pub seen: BTreeMap<String, BTreeSet<usize>>,
    /// The flaws it names.
    pub flaws: BTreeSet<String>,
    /// All paths of the book, for links.
    files: &'a BTreeSet<&'a str>,
    /// Figures so far: ids must not meet on one page.
    figures: usize,
}

impl<'a> Resolver<'a> {
    /// A resolver for `page`, which is the chapter about `step`.
    pub fn new(
        project: &'a Project,
        page: &'a Page,
        step: Option<&'a Step>,
        files: &'a BTreeSet<&'a str>,
    ) -> Self {
        Self {
            project,
            page,
            step,
            failures: Vec::new(),
            seen: BTreeMap::new(),
            flaws: BTreeSet::new(),
            files,
            figures: 0,
        }
    }

    /// The page's text with every directive replaced.
    pub fn resolve(&mut self) -> String {
        let page = self.page;
        let parts = page.parts();
        let mut resolved: BTreeMap<usize, String> = BTreeMap::new();
        // What is left can be told only when everything else has been shown.
        for last in [false, true] {
            for (line, part) in &parts {
                if let Part::Directive(name, arguments) = part
                    && (*name == "rest") == last
                {
                    let text = self.directive(name, arguments);
                    let text = self.or_failure(*line, name, arguments, text);
                    resolved.insert(*line, text);
                }
            }
        }
        let code: BTreeSet<usize> = parts
            .iter()
            .filter_map(|(line, part)| match part {
                Part::Code(_, inside) => Some(*line..=line + inside.len() + 1),
                _ => None,
            })
            .flatten()
            .collect();
        let mut text = String::new();
        for (line, written) in (1..).zip(page.text.lines()) {
            match resolved.get(&line) {
                Some(replacement) => text.push_str(replacement),
                None if code.contains(&line) => text.push_str(written),
                None => text.push_str(&self.inline(line, written)),
            }
            text.push('\n');
        }
        text
    }

    fn directive(&mut self, name: &str, arguments: &str) -> Result<String> {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        match name {
            "delta" => self.delta(arguments),
            "rest" => self.rest(&words),
            "item" => self.item(arguments),
            "tree" => self.tree(&words),
            "run" => self.run(&words),
            "matrix" => self.matrix(&words),
            "flaw" => self.flaw(&words),
            "flags" => self.flags(&words),
            "metrics" => self.metrics(&words),
            "causes" => self.causes(&words),
            "way" => self.way(&words),
            "figure" => self.figure(&words),
            "bytes" => self.bytes(&words),
            "bench" => bench::bench(&self.project.root, &words),
            "default" | "lines" | "const" => self.inline_value(name, arguments),
            _ => bail!(
                "there is no such directive; there are bench, bytes, causes, const, default, delta, figure, \
                 flags, flaw, item, lines, matrix, metrics, rest, run, tree, way"
            ),
        }
    }

    fn or_failure(
        &mut self,
        line: usize,
        name: &str,
        arguments: &str,
        text: Result<String>,
    ) -> String {
        text.unwrap_or_else(|error| {
            let what = format!("{{{{#{name} {arguments}}}}}: {error:#}");
            self.failures.push(self.page.failure(line, what.clone()));
            format!("**{what}**")
        })
    }

    /// A link to the chapter about a phase, if the book has it.
    fn chapter_link(&self, number: &str) -> String {
        let Ok(step) = self.project.step(number) else {
            return format!("phase {number}");
        };
        let file = Project::chapter(&step.phase);
        match self.files.contains(file.as_str()) {
            true if file == self.page.path => format!("chapter {number}"),
            true => format!("[chapter {number}]({file})"),
            false => format!("phase {number}"),
        }
    }

    /// The phase that a directive names, or the last one that the book has a chapter about.
    fn step_or_last(&self, words: &[&str]) -> Result<&'a Step> {
        match words {
            [number] => self.project.step(number),
            [] => {
                let mut written = self.project.steps().rev();
                let last = written
                    .find(|step| self.files.contains(Project::chapter(&step.phase).as_str()));
                last.ok_or_else(|| anyhow::anyhow!("the book has no chapter about a phase"))
            }
            _ => bail!("at most the number of a phase"),
        }
    }
}

/// The single word that a directive takes.
fn only<'a>(words: &[&'a str], what: &str) -> Result<&'a str> {
    ensure!(words.len() == 1, "it takes {what} and nothing else");
    Ok(words[0])
}
