//! The form of a chapter, and Rust that is typed by hand.

use book_preprocessor::{Page, sketches};

use super::tiny::{Tiny, chapter};

#[test]
fn sections_and_exercises_are_as_agreed() {
    for (from, to, wanted) in [
        ("## Predict\n", "", "the section `## Predict` is missing"),
        (
            "## Predict\n",
            "## Guess\n",
            "`## Guess` is no section of a chapter",
        ),
        ("# Two\n", "", "a chapter has one title"),
        (
            "### ** Two",
            "### Two",
            "an exercise has its grade in front",
        ),
        (
            "[Answer](answers.md#02-2)",
            "",
            "the exercise has no link `[Answer](answers.md#02-2)`",
        ),
        (
            "<details><summary>Hint</summary>\n\nLook.\n\n</details>\n\n[Answer](answers.md#02-3)",
            "[Answer](answers.md#02-3)",
            "the exercise has no `<details><summary>Hint</summary>`",
        ),
    ] {
        let text = chapter("{{#rest 02}}");
        assert!(text.contains(from), "{from}");
        let failures = Tiny::new()
            .page("02-two.md", &text.replacen(from, to, 1))
            .failures();
        assert!(
            failures.iter().any(|failure| failure.contains(wanted)),
            "{wanted}: {failures:#?}"
        );
    }
}

#[test]
fn sections_have_an_order() {
    let text = chapter("{{#rest 02}}");
    let text = text
        .replace("## Predict\n", "")
        .replace("## Run it\n", "## Run it\n## Predict\n");
    let failures = Tiny::new().page("02-two.md", &text).failures();
    assert!(
        failures
            .iter()
            .any(|failure| failure.contains("`## Predict` is not in its place")),
        "{failures:#?}"
    );
}

#[test]
fn three_exercises_with_answers_at_least() {
    let text = chapter("{{#rest 02}}");
    let (before, after) = text.split_once("### *** Three").expect("the exercise");
    let (_, after) = after.split_once("## Check").expect("the next section");
    let failures = Tiny::new()
        .page("02-two.md", &format!("{before}## Check{after}"))
        .failures();
    assert_eq!(failures.len(), 1, "{failures:#?}");
    assert!(
        failures[0].contains("three exercises at least, here are 2"),
        "{}",
        failures[0]
    );

    let failures = Tiny::new()
        .page(
            "answers.md",
            "# Answers\n\n### One {#02-1}\n\n### Two {#02-2}\n",
        )
        .failures();
    assert_eq!(failures.len(), 1, "{failures:#?}");
    assert!(
        failures[0].contains("answers.md has no heading that ends with `{#02-3}`"),
        "{}",
        failures[0]
    );
}

#[test]
fn rust_by_hand_is_a_sketch_or_a_mistake() {
    let failure = Tiny::new().failure("\n```rust\nfn main() {}\n```\n");
    assert!(
        failure.starts_with("book/src/page.md:2: Rust typed by hand"),
        "{failure}"
    );
    Tiny::new().resolved("```rust,sketch\nfn main() {}\n```\n\n```console\n$ ls\n```\n");
}

#[test]
fn sketches_are_whole_modules() {
    let page = Page {
        path: "01-one.md".to_owned(),
        text: "```rust,sketch\nfn a() {}\n```\n```rust,sketch\nlet a = 1;\n```\n```rust,sketch,ignore\n…\n```\n".to_owned(),
    };
    let sketches = sketches(&page);
    let codes: Vec<_> = sketches
        .iter()
        .map(|sketch| (sketch.line, sketch.code.as_str()))
        .collect();
    assert_eq!(codes.len(), 2);
    assert_eq!(codes[0], (1, "fn a() {}"));
    assert_eq!(codes[1].0, 4);
    assert!(
        codes[1]
            .1
            .starts_with("async fn sketch() -> anyhow::Result<()> {\nlet a = 1;")
    );
}
