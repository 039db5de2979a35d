//! Resolves the book as a whole.

use std::collections::BTreeSet;

use crate::directives::Resolver;
use crate::page::{Failure, Page};
use crate::project::Project;
use crate::{chapter, coverage, sketch};

/// The book with its directives resolved.
#[derive(Debug)]
pub struct Resolved {
    /// The pages, in their order.
    pub pages: Vec<Page>,
    /// Everything that does not hold.
    pub failures: Vec<Failure>,
    /// Chapters that nobody has written yet.
    pub unwritten: Vec<String>,
}

/// Resolves all directives of the book and checks what must hold in its chapters.
pub fn resolve(project: &Project, pages: &[Page]) -> Resolved {
    let files: BTreeSet<&str> = pages.iter().map(|page| page.path.as_str()).collect();
    let answers = pages.iter().find(|page| page.path == "answers.md");
    let mut resolved = Resolved {
        pages: Vec::new(),
        failures: Vec::new(),
        unwritten: Vec::new(),
    };
    for page in pages {
        let step = project
            .steps()
            .find(|step| Project::chapter(&step.phase) == page.path);
        let mut resolver = Resolver::new(project, page, step, &files);
        let text = resolver.resolve();
        resolved.pages.push(Page {
            path: page.path.clone(),
            text,
        });
        let mut failures = std::mem::take(&mut resolver.failures);
        if chapter::is_unwritten(page) {
            resolved.unwritten.push(page.path.clone());
        } else if let Some(step) = step {
            failures.extend(chapter::sections(page));
            failures.extend(chapter::exercises(page, &step.phase.number, answers));
            failures.extend(coverage::of(&resolver, step));
        }
        failures.extend(sketch::failures(page));
        failures.sort_by_key(|failure| failure.line);
        resolved.failures.extend(failures);
    }
    resolved
}
