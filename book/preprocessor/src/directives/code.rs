//! `delta`, `rest` and `item`: the phases' own code.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::{Context, Result, bail, ensure};
use similar::ChangeTag;

use super::{Resolver, only};
use crate::change::FileChange;
use crate::items;
use crate::project::Step;
use crate::{render, view};

impl<'a> Resolver<'a> {
    /// `04 src/connect.rs fn dial, const LIMIT`
    pub(super) fn delta(&mut self, arguments: &str) -> Result<String> {
        let (step, path, names) = self.place(arguments)?;
        let change = step.change(path)?;

        let mut parts = Vec::new();
        for name in &names {
            let found = change.find(name).with_context(|| {
                format!(
                    "{path} has no `{name}`; changed are {}",
                    change.changed_names().join(", ")
                )
            })?;
            let tells = |place: usize| change.lines[place].tells();
            ensure!(
                found.iter().cloned().flatten().any(tells),
                "phase {} does not change `{name}` in {path}; changed are {}",
                step.phase.number,
                change.changed_names().join(", ")
            );
            parts.extend(found);
        }
        if names.is_empty() {
            parts.push(0..change.lines.len());
        }

        let shown = view::around_changes(change, &parts);
        self.has_seen(step, path, shown.iter().copied());
        let mut text = view::figure(step, change, &names.join(", "), &shown);
        let removed = shown
            .iter()
            .any(|place| change.lines[*place].tag == ChangeTag::Delete);
        if removed && !names.is_empty() {
            let now = shown.iter().filter_map(|place| {
                let line = &change.lines[*place];
                line.new.map(|_| line.text.as_str())
            });
            let now = step.own_names(&now.collect::<Vec<_>>().join("\n"));
            if !now.trim().is_empty() && !change.is_new {
                let now = render::fence(render::language(path), &now);
                text.push('\n');
                text.push_str(&render::details("as it is now", &now));
            }
        }
        Ok(text)
    }

    /// `04`
    pub(super) fn rest(&mut self, words: &[&str]) -> Result<String> {
        let step = self.project.step(only(words, "the number of a phase")?)?;
        let mut changes: Vec<&FileChange> = step.changes.iter().collect();
        changes.sort_by_key(|change| change.path.ends_with("tests.rs"));

        let (mut inside, mut lines, mut files) = (String::new(), 0, 0);
        for change in changes {
            let seen = self.seen.get(&change.path).cloned().unwrap_or_default();
            let shown = view::unseen(change, &seen);
            if shown.is_empty() {
                continue;
            }
            files += 1;
            lines += shown
                .iter()
                .filter(|place| change.lines[**place].tells())
                .count();
            let _ = writeln!(inside, "{}", view::figure(step, change, "", &shown));
            self.has_seen(step, &change.path, shown);
        }
        if files == 0 {
            return Ok("Nothing is left: every line of this phase stands above.".to_owned());
        }
        let summary = format!(
            "The rest of phase {}: {} in {}",
            step.phase.number,
            render::count(lines, "line"),
            render::count(files, "file")
        );
        Ok(render::details(&summary, &inside))
    }

    /// `04 src/relay.rs fn relay`
    pub(super) fn item(&mut self, arguments: &str) -> Result<String> {
        let (step, path, names) = self.place(arguments)?;
        let source = step.file(path)?;
        let lines: Vec<&str> = source.lines().collect();
        let named = match path.ends_with(".rs") {
            true => items::items(source).with_context(|| format!("{path} is not understood"))?,
            false => Vec::new(),
        };

        let mut shown = BTreeSet::new();
        for name in &names {
            let found = named.iter().filter(|named| named.name == *name);
            let before = shown.len();
            shown.extend(found.flat_map(|named| named.lines.clone()));
            if shown.len() == before {
                let known: BTreeSet<_> = named.iter().map(|named| named.name.as_str()).collect();
                let known: Vec<_> = known.into_iter().collect();
                bail!(
                    "{path} of phase {} has no `{name}`; it has {}",
                    step.phase.number,
                    known.join(", ")
                );
            }
        }
        if names.is_empty() {
            shown.extend(1..=lines.len());
        }

        let mut text = String::new();
        let mut last = None;
        for number in shown {
            if let Some(last) = last.filter(|last| last + 1 < number) {
                let blank = lines[last..number - 1]
                    .iter()
                    .all(|line| line.trim().is_empty());
                text.push_str(if blank { "\n" } else { "\n// …\n\n" });
            }
            let _ = writeln!(text, "{}", lines[number - 1]);
            last = Some(number);
        }
        let state = format!("phase {}", step.phase.number);
        let caption = view::caption(path, &names.join(", "), &state);
        Ok(render::figure(
            &caption,
            render::language(path),
            &step.own_names(&text),
        ))
    }

    /// Splits `04 src/connect.rs fn dial, const LIMIT`.
    fn place<'b>(&self, arguments: &'b str) -> Result<(&'a Step, &'b str, Vec<&'b str>)> {
        let mut words = arguments.splitn(3, char::is_whitespace);
        let (Some(number), Some(path)) = (words.next(), words.next()) else {
            bail!("it takes the number of a phase and a file, then perhaps items of the file");
        };
        let names = words.next().unwrap_or_default().split(',').map(str::trim);
        let names = names.filter(|name| !name.is_empty()).collect();
        Ok((self.project.step(number)?, path, names))
    }

    fn has_seen(&mut self, step: &Step, path: &str, places: impl IntoIterator<Item = usize>) {
        if self
            .step
            .is_some_and(|own| own.phase.number == step.phase.number)
        {
            self.seen.entry(path.to_owned()).or_default().extend(places);
        }
    }
}
