//! `tree`: the files of a phase as nested lists, a station with what it is made of.
//!
//! Lists, because they read aloud as they stand, and break into lines on a phone.

use std::collections::BTreeMap;

use anyhow::Result;
use similar::ChangeTag;

use super::{Resolver, only};
use crate::project::Step;
use crate::render;

impl Resolver<'_> {
    /// `04`
    pub(super) fn tree(&mut self, words: &[&str]) -> Result<String> {
        let step = self.project.step(only(words, "the number of a phase")?)?;
        let mut root = Branch::default();
        for path in step.before.keys().chain(step.program.keys()) {
            root.place(path);
        }
        let mut lines = Vec::new();
        root.draw_below(step, "", &mut lines);
        Ok(format!(
            "<div class=\"tree\">\n\n{}\n\n</div>\n",
            lines.join("\n")
        ))
    }
}

/// A file with its unit tests, and what lies in the folder of the same name.
#[derive(Default)]
struct Branch {
    file: Option<String>,
    tests: Option<String>,
    below: BTreeMap<String, Branch>,
}

impl Branch {
    /// Puts a file where it belongs: `src/relay/pipe/tests.rs` tests `src/relay/pipe.rs`.
    fn place(&mut self, path: &str) {
        let mut branch = self;
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        for name in folder.split('/').filter(|name| !name.is_empty()) {
            branch = branch.below.entry(name.to_owned()).or_default();
        }
        if file == "tests.rs" {
            branch.tests = Some(path.to_owned());
        } else {
            let name = file.strip_suffix(".rs").unwrap_or(file);
            let branch = branch.below.entry(name.to_owned()).or_default();
            branch.file = Some(path.to_owned());
        }
    }

    /// What the phase has made of the branches in `folder`; those that it left alone share a line.
    fn draw_below(&self, step: &Step, folder: &str, lines: &mut Vec<String>) {
        let indent = "  ".repeat(folder.split_terminator('/').count());
        let (same, others): (Vec<_>, Vec<_>) = self
            .below
            .iter()
            .partition(|(_, branch)| branch.is_same(step));
        for (name, branch) in others {
            lines.push(format!("{indent}- {}", branch.line(step, folder, name)));
            branch.draw_below(step, &format!("{folder}{name}/"), lines);
        }
        if !same.is_empty() {
            let names = same.iter().map(|(name, branch)| branch.called(name));
            let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
            lines.push(format!("{indent}- as before: {}", names.join(", ")));
        }
    }

    fn is_same(&self, step: &Step) -> bool {
        let mut files = self.file.iter().chain(&self.tests);
        files.all(|path| change(step, path).is_none())
            && self.below.values().all(|branch| branch.is_same(step))
    }

    /// `relay/pipe.rs`, what the phase changes in it and in its tests, and what it is.
    fn line(&self, step: &Step, folder: &str, name: &str) -> String {
        let Some(path) = &self.file else {
            return format!("`{}`", inside_src(&format!("{folder}{name}/")));
        };
        let mut parts = vec![format!("`{}`", inside_src(path))];
        match change(step, path) {
            Some(change) => {
                parts.push(change);
                parts.extend(self.tests_line(step));
                parts.extend(step.program.get(path).and_then(|text| about(text)));
            }
            None => {
                parts.push("as before".to_owned());
                parts.extend(self.tests_line(step));
            }
        }
        parts.join(" · ")
    }

    fn tests_line(&self, step: &Step) -> Option<String> {
        let change = change(step, self.tests.as_ref()?)?;
        Some(format!("unit tests {change}"))
    }

    /// `relay/` for a station that has a folder, and `relay.rs` for one that has none.
    fn called(&self, name: &str) -> String {
        match &self.file {
            Some(path) if self.below.is_empty() => {
                path.rsplit('/').next().unwrap_or(path).to_owned()
            }
            _ => format!("{name}/"),
        }
    }
}

/// Nearly everything lies in `src/`, so it is not said of each file again.
fn inside_src(path: &str) -> &str {
    let inside = path.strip_prefix("src/").unwrap_or(path);
    if inside.is_empty() { path } else { inside }
}

/// What the phase does to a file; nothing if it is as before.
fn change(step: &Step, path: &str) -> Option<String> {
    let Some(text) = step.program.get(path) else {
        return Some("removed".to_owned());
    };
    let lines = render::count(text.lines().count(), "line");
    if !step.before.contains_key(path) {
        return Some(format!("**new**, {lines}"));
    }
    let change = step.changes.iter().find(|change| change.path == path)?;
    let count = |tag| change.lines.iter().filter(|line| line.tag == tag).count();
    let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
    // The two counts stay on one line.
    Some(format!(
        "**changed**: +{added}\u{a0}−{removed}, now {lines}"
    ))
}

/// The first sentence of a file about itself.
fn about(text: &str) -> Option<String> {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(str::trim).take_while(|line| !line.is_empty());
    let about = lines.collect::<Vec<_>>().join(" ");
    let sentence = match about.split_once(". ") {
        Some((sentence, _)) => format!("{sentence}."),
        None => about,
    };
    (!sentence.is_empty()).then_some(sentence)
}
