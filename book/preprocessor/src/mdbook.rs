//! The book as mdBook sees it, and as it lies in the folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use anyhow::{Context, Result, bail};
use mdbook_preprocessor::book;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext};
use regex::Regex;

use crate::page::{Failure, Page};
use crate::project::Project;
use crate::resolve::resolve;

/// The preprocessor. What it finds is also kept for whoever builds the book.
#[derive(Debug)]
pub struct Book {
    /// The folder of the workspace.
    pub root: PathBuf,
    /// Only failures in this chapter count, such as `04`; all if it is none.
    pub only: Option<String>,
    /// Chapters that nobody has written yet, after a run.
    pub unwritten: Arc<Mutex<Vec<String>>>,
}

impl Book {
    /// The book of the project in `root`.
    pub fn new(root: &Path, only: Option<String>) -> Self {
        Self {
            root: root.to_owned(),
            only,
            unwritten: Arc::default(),
        }
    }

    /// The failures that count.
    pub fn failures(&self, mut failures: Vec<Failure>) -> Vec<Failure> {
        if let Some(only) = &self.only {
            failures.retain(|failure| failure.file.starts_with(&format!("book/src/{only}")));
        }
        failures
    }
}

impl Preprocessor for Book {
    fn name(&self) -> &str {
        "tcpproxy"
    }

    fn run(&self, _: &PreprocessorContext, mut book: book::Book) -> Result<book::Book> {
        let project = Project::load(&self.root)?;
        let mut pages = Vec::new();
        for chapter in book.chapters() {
            if let Some(path) = &chapter.source_path {
                pages.push(Page {
                    path: path.to_string_lossy().into_owned(),
                    text: chapter.content.clone(),
                });
            }
        }
        let resolved = resolve(&project, &pages);
        let failures = self.failures(resolved.failures);
        if !failures.is_empty() {
            let list: Vec<_> = failures.iter().map(ToString::to_string).collect();
            bail!(
                "{}\nfailures in the book: {}",
                list.join("\n"),
                failures.len()
            );
        }
        if let Ok(mut unwritten) = self.unwritten.lock() {
            *unwritten = resolved.unwritten;
        }
        book.for_each_chapter_mut(|chapter| {
            let path = chapter
                .source_path
                .as_ref()
                .map(|path| path.to_string_lossy());
            let page = resolved
                .pages
                .iter()
                .find(|page| Some(page.path.as_str()) == path.as_deref());
            if let Some(page) = page {
                chapter.content.clone_from(&page.text);
            }
        });
        Ok(book)
    }
}

/// The pages that `book/src/SUMMARY.md` below `root` names, in its order.
pub fn pages(root: &Path) -> Result<Vec<Page>> {
    let folder = root.join("book/src");
    let summary =
        fs::read_to_string(folder.join("SUMMARY.md")).context("cannot read book/src/SUMMARY.md")?;
    let mut pages = Vec::new();
    for found in LINK.captures_iter(&summary) {
        let path = found[1].to_owned();
        let text = fs::read_to_string(folder.join(&path))
            .with_context(|| format!("SUMMARY.md names {path}, which cannot be read"))?;
        pages.push(Page { path, text });
    }
    Ok(pages)
}

static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\]\(([^)]+\.md)\)").expect("a valid pattern"));
