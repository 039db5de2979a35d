//! Markdown and HTML that the directives have in common.

use std::fmt::Write as _;

/// A block of code with a caption above it.
pub fn figure(caption: &str, language: &str, text: &str) -> String {
    format!(
        "<figure class=\"code\">\n<figcaption>{caption}</figcaption>\n\n{}\n\n</figure>\n",
        fence(language, text)
    )
}

/// A fenced block, with a fence that the text does not contain.
pub fn fence(language: &str, text: &str) -> String {
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    format!(
        "{fence}{language}\n{}\n{fence}",
        text.trim_end_matches('\n')
    )
}

/// Something that can be opened.
pub fn details(summary: &str, inside: &str) -> String {
    format!("<details>\n<summary>{summary}</summary>\n\n{inside}\n\n</details>\n")
}

/// A table; `|` in the cells is escaped.
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "| {} |", head.join(" | "));
    let _ = writeln!(text, "|{}", " --- |".repeat(head.len()));
    for row in rows {
        let cells: Vec<_> = row
            .iter()
            .map(|cell| cell.replace('|', "\\|").replace('\n', " "))
            .collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// Text for HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// The language of a file, by its name, as the highlighter calls it.
pub fn language(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("rs") => "rust",
        Some("toml") => "toml",
        _ => "text",
    }
}

/// `one line`, `2 lines`.
pub fn count(number: usize, what: &str) -> String {
    match number {
        1 => format!("one {what}"),
        _ => format!("{number} {what}s"),
    }
}
