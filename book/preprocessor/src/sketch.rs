//! Rust that an author wrote by hand. It must say that it is a sketch, and compiles if it can.

use crate::page::{Failure, Page, Part};

/// A piece of Rust that must compile.
#[derive(Debug)]
pub struct Sketch {
    /// The path of the page inside `book/src`.
    pub page: String,
    /// The line of its fence.
    pub line: usize,
    /// The code, as a module: statements become the body of a function.
    pub code: String,
}

/// The sketches of a page that are meant to compile.
pub fn sketches(page: &Page) -> Vec<Sketch> {
    let mut found = Vec::new();
    for (line, part) in page.parts() {
        if let Part::Code(info, inside) = part {
            let words: Vec<_> = words(info).collect();
            if is_rust(&words) && words.contains(&"sketch") && !words.contains(&"ignore") {
                found.push(Sketch {
                    page: page.path.clone(),
                    line,
                    code: whole(&inside.join("\n")),
                });
            }
        }
    }
    found
}

/// Rust that pretends to be the phases' own.
pub fn failures(page: &Page) -> Vec<Failure> {
    let parts = page.parts().into_iter();
    let by_hand = parts.filter_map(|(line, part)| match part {
        Part::Code(info, _) => Some((line, words(info).collect::<Vec<_>>())),
        _ => None,
    });
    by_hand
        .filter(|(_, words)| is_rust(words) && !words.contains(&"sketch"))
        .map(|(line, _)| {
            page.failure(line, "Rust typed by hand goes stale: show the phase's own with `delta` or `item`, or mark it ```rust,sketch")
        })
        .collect()
}

fn words(info: &str) -> impl Iterator<Item = &str> {
    info.split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty())
}

fn is_rust(words: &[&str]) -> bool {
    matches!(words.first(), Some(&("rust" | "rs")))
}

fn whole(code: &str) -> String {
    if syn::parse_file(code).is_ok() {
        return code.to_owned();
    }
    format!(
        "async fn sketch() -> anyhow::Result<()> {{\n{code}\n;\n#[allow(unreachable_code)]\nOk(())\n}}"
    )
}
