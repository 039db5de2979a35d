//! `figure`: a drawing from `book/figures`, inline, so that it follows the reader's theme.

use std::fs;
use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use regex::Regex;

use super::{Resolver, only};
use crate::render;

impl Resolver<'_> {
    /// `half-close`
    pub(super) fn figure(&mut self, words: &[&str]) -> Result<String> {
        let name = only(words, "the name of a file in book/figures")?;
        let file = format!("book/figures/{name}.svg");
        let svg = fs::read_to_string(self.project.root.join(&file))
            .with_context(|| format!("there is no {file}"))?;
        check(&svg).with_context(|| file.clone())?;
        self.figures += 1;
        Ok(drawing(&svg, self.figures))
    }
}

/// The drawing as it stands in the page, the `count`-th one of it.
pub fn drawing(svg: &str, count: usize) -> String {
    let title = inside(svg, "title").unwrap_or_default();
    let words = inside(svg, "desc").unwrap_or_default();
    let mut svg = svg[svg.find("<svg").unwrap_or(0)..].trim().to_owned();
    if svg.contains("url(#arrow)") && !svg.contains("id=\"arrow\"") {
        let head = svg.find('>').map_or(0, |end| end + 1);
        svg.insert_str(head, ARROW);
    }
    for (before, after) in [
        ("id=\"", "id=\"f"),
        ("url(#", "url(#f"),
        ("href=\"#", "href=\"#f"),
    ] {
        svg = svg.replace(before, &format!("{after}{count}-"));
    }
    svg = svg.replacen(
        "<svg",
        &format!("<svg role=\"img\" aria-label=\"{title}\""),
        1,
    );
    // A blank line would end the block of HTML in Markdown.
    let lines = svg.lines().filter(|line| !line.trim().is_empty());
    let svg = lines.collect::<Vec<_>>().join("\n");
    format!(
        "<figure class=\"drawing\">\n{svg}\n<figcaption>{title}</figcaption>\n\n{}\n</figure>\n",
        render::details("The picture in words", &words)
    )
}

/// What makes a drawing unreadable for somebody.
fn check(svg: &str) -> Result<()> {
    let Some(end) = svg
        .find("<svg")
        .and_then(|start| Some(start + svg[start..].find('>')?))
    else {
        bail!("it is no SVG");
    };
    let head = &svg[svg.find("<svg").unwrap_or(0)..end];
    ensure!(
        head.contains("viewBox="),
        "it needs a viewBox, so that it can shrink"
    );
    ensure!(
        !head.contains(" width=") && !head.contains(" height="),
        "its size is the page's matter: leave width and height out"
    );
    for element in ["title", "desc"] {
        let text = inside(svg, element).unwrap_or_default();
        ensure!(
            !text.is_empty(),
            "it needs a <{element}>, for those who do not see it"
        );
    }
    ensure!(
        !svg.contains("style="),
        "use the classes: a style does not follow the theme"
    );
    for found in COLOUR.captures_iter(svg) {
        let colour = &found[1];
        ensure!(
            matches!(colour, "none" | "currentColor") || colour.starts_with("url(#"),
            "the colour {colour} does not follow the theme: use a class, currentColor or none"
        );
    }
    Ok(())
}

fn inside(svg: &str, element: &str) -> Option<String> {
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    let start = svg.find(&open)? + open.len();
    let text = &svg[start..start + svg[start..].find(&close)?];
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

static COLOUR: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?:fill|stroke|stop-color|color)="([^"]*)""#).expect("a valid pattern")
});

/// The head of an arrow, for lines with `marker-end="url(#arrow)"`.
const ARROW: &str = "\n<defs><marker id=\"arrow\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto-start-reverse\"><path d=\"M0 1 L9 5 L0 9 z\" fill=\"currentColor\"/></marker></defs>";
