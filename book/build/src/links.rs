//! Links and anchors of the rendered book.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use anyhow::{Context, Result};
use regex::Regex;

/// Links inside the book that lead nowhere, and what a page loads from another host.
pub fn broken(folder: &Path) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(folder).context("the book is not rendered")? {
        let path = entry?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            pages.insert(name, fs::read_to_string(&path)?);
        }
    }
    let anchors: BTreeMap<&str, BTreeSet<&str>> = pages
        .iter()
        .map(|(name, html)| {
            let ids = ID
                .captures_iter(html)
                .map(|found| found.extract::<1>().1[0]);
            (name.as_str(), ids.collect())
        })
        .collect();

    let mut failures = BTreeSet::new();
    for (name, html) in &pages {
        let ids = ID
            .captures_iter(html)
            .map(|found| found.extract::<1>().1[0]);
        let mut seen = BTreeSet::new();
        for id in ids.filter(|id| !seen.insert(*id)) {
            // The print page holds all pages, and mdBook makes their headings unique, not our ids.
            if name != "print.html" {
                failures.insert(format!("{name}: the anchor {id} is there twice"));
            }
        }
        for found in LINK.captures_iter(html) {
            let [kind, link] = found.extract().1;
            let link = link.replace("&amp;", "&");
            if link.contains("://") || link.starts_with("//") {
                if kind == "src" {
                    failures.insert(format!("{name}: loads {link} from another host"));
                }
                continue;
            }
            if link.starts_with("mailto:") || link.starts_with("data:") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let file = if file.is_empty() { name } else { file };
            match anchors.get(file) {
                Some(anchors) if anchor.is_empty() || anchors.contains(anchor) => {}
                Some(_) => {
                    failures.insert(format!("{name}: {file} has no anchor #{anchor}"));
                }
                None if folder.join(file).exists() => {}
                None => {
                    failures.insert(format!("{name}: the link {link} leads nowhere"));
                }
            }
        }
    }
    Ok(failures.into_iter().collect())
}

static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"<[^>]*\sid="([^"]+)""#).expect("a valid pattern"));

static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"<[^>]*?\s(href|src)="([^"]*)""#).expect("a valid pattern"));
