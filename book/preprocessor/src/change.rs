//! What a phase changes in a file, line by line, so that a chapter can show parts of it and the
//! book can tell which lines nobody has shown.

use std::ops::{Range, RangeInclusive};

use similar::ChangeTag;
use xtask::delta;

use crate::items::{self, Named};

/// What a phase changes in one file.
#[derive(Debug)]
pub struct FileChange {
    /// The path inside the phase's folder.
    pub path: String,
    /// Whether the phase before lacks the file.
    pub is_new: bool,
    /// Every line of the file, as it was and as it is, unchanged ones too.
    pub lines: Vec<Line>,
    old_items: Vec<Named>,
    new_items: Vec<Named>,
}

/// One line.
#[derive(Debug)]
pub struct Line {
    /// Removed, added or kept.
    pub tag: ChangeTag,
    /// Its number in the file as it was.
    pub old: Option<usize>,
    /// Its number in the file as it is.
    pub new: Option<usize>,
    /// Without the line break.
    pub text: String,
    /// Its line in `phases/deltas/NN.diff`, if it is changed.
    pub in_delta: Option<usize>,
}

impl FileChange {
    /// Compares a file with itself in the phase before.
    pub fn new(path: &str, old: Option<&String>, new: Option<&String>) -> Self {
        let is_new = old.is_none();
        let (old, new) = [old, new]
            .map(|text| text.map_or("", String::as_str))
            .into();
        let lines = delta::lines(old, new)
            .iter_all_changes()
            .map(|change| Line {
                tag: change.tag(),
                old: change.old_index().map(|index| index + 1),
                new: change.new_index().map(|index| index + 1),
                text: change.value().trim_end_matches('\n').to_owned(),
                in_delta: None,
            })
            .collect();
        // A file that does not parse does not compile either, which others will say.
        let named = |source| match path.ends_with(".rs") {
            true => items::items(source).unwrap_or_default(),
            false => Vec::new(),
        };
        Self {
            path: path.to_owned(),
            is_new,
            lines,
            old_items: named(old),
            new_items: named(new),
        }
    }

    /// The places of the lines that a reader must get to see. Blank ones say nothing.
    pub fn telling(&self) -> impl Iterator<Item = usize> {
        (0..self.lines.len()).filter(|place| self.lines[*place].tells())
    }

    /// The places of everything called `name`; with the lines that it replaces. None if the file
    /// has nothing of that name.
    pub fn find(&self, name: &str) -> Option<Vec<Range<usize>>> {
        let old = lines_of(&self.old_items, name);
        let new = lines_of(&self.new_items, name);
        let found: Vec<_> = if new.is_empty() {
            old.iter()
                .filter_map(|lines| self.span(|line| line.old, lines))
                .collect()
        } else {
            let spans = new
                .iter()
                .filter_map(|lines| self.span(|line| line.new, lines));
            spans.map(|span| self.with_replaced(span, &old)).collect()
        };
        (!found.is_empty()).then_some(found)
    }

    /// What a chapter may name here and what is changed, for the message about a wrong name.
    pub fn changed_names(&self) -> Vec<&str> {
        let names = self.new_items.iter().chain(&self.old_items);
        let mut changed: Vec<&str> = Vec::new();
        for named in names {
            let name = named.name.as_str();
            let is_changed = self.find(name).is_some_and(|places| {
                let mut places = places.into_iter().flatten();
                places.any(|place| self.lines[place].tells())
            });
            if is_changed && !changed.contains(&name) {
                changed.push(name);
            }
        }
        changed
    }

    /// The smallest item around a place, if a reader can take it in as a whole.
    pub fn short_item_around(&self, place: usize) -> Option<Range<usize>> {
        let new = self
            .new_items
            .iter()
            .map(|named| (&named.name, &named.lines));
        let spans = new.filter_map(|(_, lines)| self.span(|line| line.new, lines));
        spans
            .filter(|span| span.contains(&place) && span.len() <= SHORT)
            .min_by_key(ExactSizeIterator::len)
    }

    fn span(
        &self,
        number: impl Fn(&Line) -> Option<usize>,
        lines: &RangeInclusive<usize>,
    ) -> Option<Range<usize>> {
        let inside = |line: &Line| number(line).is_some_and(|number| lines.contains(&number));
        let first = self.lines.iter().position(inside)?;
        let last = self.lines.iter().rposition(inside)?;
        Some(first..last + 1)
    }

    /// Takes in the removed lines at both ends that belonged to the same item, or to one that this
    /// item replaces: a diff puts them before or after, as it happens.
    fn with_replaced(&self, span: Range<usize>, old: &[RangeInclusive<usize>]) -> Range<usize> {
        let changed = self.lines[span.clone()].iter().any(Line::tells);
        let gone = |line: usize| {
            self.old_items.iter().any(|named| {
                named.lines.contains(&line) && lines_of(&self.new_items, &named.name).is_empty()
            })
        };
        let belongs = |place: usize| {
            let line = &self.lines[place];
            let number = line.old.filter(|_| line.tag == ChangeTag::Delete);
            number.is_some_and(|number| {
                old.iter().any(|lines| lines.contains(&number)) || (changed && gone(number))
            })
        };
        let start = (0..span.start)
            .rev()
            .take_while(|place| belongs(*place))
            .count();
        let end = (span.end..self.lines.len())
            .take_while(|place| belongs(*place))
            .count();
        span.start - start..span.end + end
    }
}

impl Line {
    /// Whether the phase adds or removes it.
    pub fn is_changed(&self) -> bool {
        self.tag != ChangeTag::Equal
    }

    /// As a diff has it.
    pub fn sign_and_text(&self) -> String {
        format!("{}{}", self.tag, self.text)
    }

    /// Whether a reader must get to see it.
    pub fn tells(&self) -> bool {
        self.is_changed() && !self.text.trim().is_empty()
    }
}

/// As many lines as fit on a screen.
pub const SHORT: usize = 40;

fn lines_of(items: &[Named], name: &str) -> Vec<RangeInclusive<usize>> {
    let same = items.iter().filter(|named| named.name == name);
    same.map(|named| named.lines.clone()).collect()
}
