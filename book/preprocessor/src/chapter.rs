//! What every chapter about a phase must have: its sections, and exercises with hint and answer.

use crate::page::{Failure, Page, Part};

/// Whether nobody has begun this page.
pub fn is_unwritten(page: &Page) -> bool {
    page.text.starts_with("<!-- unwritten -->")
}

/// The sections that are missing, strange or not in their order.
pub fn sections(page: &Page) -> Vec<Failure> {
    let parts = page.parts();
    let mut failures = Vec::new();
    let titles = parts
        .iter()
        .filter(|(_, part)| matches!(part, Part::Heading(1, _)));
    if titles.count() != 1 {
        failures.push(page.failure(1, "a chapter has one title: `# …` on its first line"));
    }
    let found: Vec<(usize, &str)> = parts
        .iter()
        .filter_map(|(line, part)| match part {
            Part::Heading(2, title) => Some((*line, *title)),
            _ => None,
        })
        .collect();
    let mut next = 0;
    for (line, title) in &found {
        match SECTIONS.iter().position(|section| section == title) {
            None => failures.push(page.failure(
                *line,
                format!(
                    "`## {title}` is no section of a chapter; there are {}",
                    SECTIONS.join(", ")
                ),
            )),
            Some(place) if place < next => {
                failures.push(page.failure(*line, format!("`## {title}` is not in its place")));
            }
            Some(place) => next = place + 1,
        }
    }
    let end = found.last().map_or(1, |(line, _)| *line);
    for section in SECTIONS {
        if found.iter().all(|(_, title)| title != section) {
            failures.push(page.failure(end, format!("the section `## {section}` is missing")));
        }
    }
    failures
}

/// Exercises without grade, hint or answer.
pub fn exercises(page: &Page, number: &str, answers: Option<&Page>) -> Vec<Failure> {
    let parts = page.parts();
    let mut failures = Vec::new();
    let heading = Part::Heading(2, "Exercises");
    let Some(start) = parts.iter().position(|(_, part)| *part == heading) else {
        return failures;
    };
    let section: Vec<_> = parts[start + 1..]
        .iter()
        .take_while(|(_, part)| !matches!(part, Part::Heading(1 | 2, _)))
        .collect();
    let places: Vec<usize> = (0..section.len())
        .filter(|place| matches!(section[*place].1, Part::Heading(3, _)))
        .collect();
    if places.len() < 3 {
        let what = format!("three exercises at least, here are {}", places.len());
        failures.push(page.failure(parts[start].0, what));
    }
    for (count, place) in (1..).zip(&places) {
        let (line, Part::Heading(_, title)) = section[*place] else {
            continue;
        };
        let id = format!("{number}-{count}");
        let end = places
            .iter()
            .find(|next| *next > place)
            .copied()
            .unwrap_or(section.len());
        let has = |wanted: &str| {
            section[*place..end]
                .iter()
                .any(|(_, part)| matches!(part, Part::Text(text) if text.contains(wanted)))
        };
        if !["* ", "** ", "*** "]
            .iter()
            .any(|grade| title.starts_with(grade))
        {
            failures.push(page.failure(
                *line,
                "an exercise has its grade in front: `### * …`, `### ** …` or `### *** …`",
            ));
        }
        if !has("<summary>Hint</summary>") {
            failures.push(page.failure(
                *line,
                "the exercise has no `<details><summary>Hint</summary>`",
            ));
        }
        if !has(&format!("(answers.md#{id})")) {
            failures.push(page.failure(
                *line,
                format!("the exercise has no link `[Answer](answers.md#{id})`"),
            ));
        }
        let answer = format!("{{#{id}}}");
        if !answers.is_some_and(|answers| {
            answers
                .text
                .lines()
                .any(|line| line.starts_with('#') && line.ends_with(&answer))
        }) {
            failures.push(page.failure(
                *line,
                format!("answers.md has no heading that ends with `{answer}`"),
            ));
        }
    }
    failures
}

/// The sections of a chapter, in their order.
const SECTIONS: &[&str] = &[
    "Where we are",
    "What is wrong now",
    "Predict",
    "Before and after",
    "The change",
    "Run it",
    "What the tests now say",
    "What still breaks",
    "How the real ones do it",
    "Exercises",
    "Check your own",
];
