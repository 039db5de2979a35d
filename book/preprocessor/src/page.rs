//! A page of the book as its author wrote it: headings, code blocks and directives, with lines.

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;

/// One Markdown file of the book.
#[derive(Debug, Clone)]
pub struct Page {
    /// The path inside `book/src`.
    pub path: String,
    /// The text.
    pub text: String,
}

/// Something in the book that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The file, from the project's folder.
    pub file: String,
    /// The line in it.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

/// A part of a page.
#[derive(Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// A line of text.
    Text(&'a str),
    /// A heading: its level and its text.
    Heading(usize, &'a str),
    /// A code block: what stands behind the fence, and what is inside.
    Code(&'a str, Vec<&'a str>),
    /// A directive that stands alone on its line: its name and its arguments.
    Directive(&'a str, &'a str),
}

impl Page {
    /// The parts, each with the line it begins on.
    pub fn parts(&self) -> Vec<(usize, Part<'_>)> {
        let mut parts = Vec::new();
        let mut lines = (1..).zip(self.text.lines());
        while let Some((number, line)) = lines.next() {
            let part = if let Some(fence) = fence(line) {
                let info = line.trim_start()[fence.len()..].trim();
                let inside = lines.by_ref().map(|(_, line)| line);
                Part::Code(
                    info,
                    inside.take_while(|line| !closes(line, fence)).collect(),
                )
            } else if let Some(found) = DIRECTIVE.captures(line) {
                let [name, arguments] = found.extract().1;
                Part::Directive(name, arguments.trim())
            } else if let Some(found) = HEADING.captures(line) {
                let [signs, title] = found.extract().1;
                Part::Heading(signs.len(), title.trim())
            } else {
                Part::Text(line)
            };
            parts.push((number, part));
        }
        parts
    }

    /// Something that does not hold on a line of this page.
    pub fn failure(&self, line: usize, what: impl Into<String>) -> Failure {
        Failure {
            file: format!("book/src/{}", self.path),
            line,
            what: what.into(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

fn fence(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let length = line.len() - line.trim_start_matches('`').len();
    let length = length.max(line.len() - line.trim_start_matches('~').len());
    (length >= 3 && !line[length..].contains('`')).then(|| &line[..length])
}

fn closes(line: &str, fence: &str) -> bool {
    let line = line.trim();
    line.starts_with(fence) && line.chars().all(|c| fence.starts_with(c))
}

static DIRECTIVE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\s*\{\{#([\w-]+)([^{}]*)\}\}\s*$").expect("a valid pattern"));

static HEADING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(#{1,6})\s+(.*)$").expect("a valid pattern"));
