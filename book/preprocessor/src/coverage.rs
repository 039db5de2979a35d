//! What a phase changes and its chapter does not mention.

use crate::change::FileChange;
use crate::directives::Resolver;
use crate::page::{Failure, Part};
use crate::project::Step;
use crate::{metrics, settings};

/// Everything of `step` that the resolved page leaves out.
pub fn of(resolver: &Resolver<'_>, step: &Step) -> Vec<Failure> {
    let page = resolver.page;
    let parts = page.parts();
    let section = |title: &str| {
        let found = parts
            .iter()
            .find(|(_, part)| *part == Part::Heading(2, title));
        found.map_or(1, |(line, _)| *line)
    };
    let mut failures = Vec::new();
    if let Some(stale) = &step.stale {
        failures.push(page.failure(section("The change"), stale));
    }
    for change in &step.changes {
        for (first, count) in unseen(resolver, change) {
            let line = &change.lines[first];
            let more = match count {
                1 => String::new(),
                _ => format!(" and {} more near it", count - 1),
            };
            let number = &step.phase.number;
            let what = format!(
                "phases/deltas/{number}.diff:{} is not shown: {} `{}`{more}: name it in a `delta`, or put `{{{{#rest {number}}}}}` at the end of the section",
                line.in_delta.unwrap_or_default(),
                change.path,
                line.sign_and_text(),
            );
            failures.push(page.failure(section("The change"), what));
        }
    }

    let before = resolver.project.index.previous(&step.phase);
    let before = before.and_then(|phase| resolver.project.step(&phase.number).ok());
    let has = |directive: &str| {
        let number = step.phase.number.as_str();
        parts
            .iter()
            .any(|(_, part)| *part == Part::Directive(directive, number))
    };
    for flag in settings::new_flags(step, before) {
        let name = format!("--{}", flag.name);
        if !has("flags") && !page.text.contains(&name) {
            failures.push(page.failure(
                1,
                format!("the chapter does not name the new flag `{name}`"),
            ));
        }
    }
    for metric in metrics::new_metrics(step, before) {
        if !has("metrics") && !page.text.contains(&metric.name) {
            failures.push(page.failure(
                1,
                format!("the chapter does not name the new metric `{}`", metric.name),
            ));
        }
    }
    let born = step.phase.flaws.iter().map(|flaw| (&flaw.id, "born"));
    let cured = step.phase.cures.iter().map(|id| (id, "cured"));
    for (id, how) in born.chain(cured) {
        if !resolver.flaws.contains(id) {
            failures.push(page.failure(
                1,
                format!("the flaw `{id}` is {how} here, and there is no `{{{{#flaw {id}}}}}`"),
            ));
        }
    }
    failures
}

/// Runs of lines that the page has not shown: the place of the first, and how many.
fn unseen(resolver: &Resolver<'_>, change: &FileChange) -> Vec<(usize, usize)> {
    let seen = resolver.seen.get(&change.path);
    let mut runs: Vec<(usize, usize, usize)> = Vec::new();
    for place in change.telling() {
        if seen.is_some_and(|seen| seen.contains(&place)) {
            continue;
        }
        match runs.last_mut() {
            // As far apart as two hunks are.
            Some((_, last, count)) if place - *last <= 7 => {
                *last = place;
                *count += 1;
            }
            _ => runs.push((place, place, 1)),
        }
    }
    runs.into_iter()
        .map(|(first, _, count)| (first, count))
        .collect()
}
