//! Chooses which lines of a change a chapter shows, and draws them.

use std::collections::BTreeSet;
use std::ops::Range;

use similar::ChangeTag;

use crate::change::{FileChange, SHORT};
use crate::project::Step;
use crate::render;

/// The places to show for these parts of a file: the parts as a whole when they are short, else
/// what is changed with something around it.
pub fn around_changes(change: &FileChange, parts: &[Range<usize>]) -> BTreeSet<usize> {
    let mut shown = BTreeSet::new();
    for part in parts {
        if part.len() <= SHORT || change.is_new {
            shown.extend(part.clone());
            continue;
        }
        for place in part
            .clone()
            .filter(|place| change.lines[*place].is_changed())
        {
            shown.extend(near(place, part));
            if let Some(item) = change.short_item_around(place) {
                shown.extend(item.start.max(part.start)..item.end.min(part.end));
            }
        }
    }
    shown
}

/// The places that are not in `seen`, with a few lines around them.
pub fn unseen(change: &FileChange, seen: &BTreeSet<usize>) -> BTreeSet<usize> {
    let all = 0..change.lines.len();
    let unseen = change.telling().filter(|place| !seen.contains(place));
    let mut shown = BTreeSet::new();
    for place in unseen {
        let near = near(place, &all).filter(|near| {
            // What was shown as changed is not shown again.
            !(change.lines[*near].tells() && seen.contains(near))
        });
        shown.extend(near);
    }
    shown
}

/// The chosen lines as a figure: Rust if nothing is removed from it, else a diff.
pub fn figure(step: &Step, change: &FileChange, what: &str, shown: &BTreeSet<usize>) -> String {
    let only_added = shown.iter().all(|place| {
        change.lines[*place].tag == ChangeTag::Insert || change.lines[*place].text.trim().is_empty()
    });
    let state = match (change.is_new, only_added) {
        (true, _) => "new file",
        (false, true) => "new",
        (false, false) => "changed",
    };
    let language = if only_added {
        render::language(&change.path)
    } else {
        "diff"
    };

    let mut text = String::new();
    let mut last = None;
    for place in shown {
        let line = &change.lines[*place];
        if last.is_some_and(|last| is_gap(change, last, *place)) {
            text.push_str(match (only_added, language) {
                (true, "rust") => "// …\n",
                (true, _) => "# …\n",
                (false, _) => " …\n",
            });
        } else if last.is_some_and(|last| last + 1 < *place) {
            text.push('\n');
        }
        match only_added {
            true => text.push_str(&line.text),
            false => text.push_str(&line.sign_and_text()),
        }
        text.push('\n');
        last = Some(*place);
    }
    let caption = caption(&change.path, what, state);
    render::figure(&caption, language, &step.own_names(&text))
}

/// `src/relay.rs · fn relay · changed`.
pub fn caption(path: &str, what: &str, state: &str) -> String {
    let mut parts = vec![format!("<code>{}</code>", render::escape(path))];
    let names = what
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let names: Vec<_> = names
        .map(|name| format!("<code>{}</code>", render::escape(name)))
        .collect();
    if !names.is_empty() {
        parts.push(names.join(", "));
    }
    parts.push(state.to_owned());
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// Blank lines between two shown ones are no gap.
fn is_gap(change: &FileChange, last: usize, place: usize) -> bool {
    let between = &change.lines[last + 1..place];
    between.iter().any(|line| !line.text.trim().is_empty())
}

fn near(place: usize, part: &Range<usize>) -> impl Iterator<Item = usize> {
    let start = place.saturating_sub(CONTEXT).max(part.start);
    start..(place + CONTEXT + 1).min(part.end)
}

/// As in the deltas.
const CONTEXT: usize = 3;
