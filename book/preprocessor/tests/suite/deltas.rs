//! What of a change is shown, and how.

use super::tiny::{Tiny, chapter};

#[test]
fn a_changed_function_is_a_diff_with_the_whole_of_it() {
    let text = Tiny::new().resolved("{{#delta 02 src/ear.rs fn hear}}");
    assert!(text.contains(
        "<figcaption><code>src/ear.rs</code> · <code>fn hear</code> · changed</figcaption>"
    ));
    let diff = "```diff\n-/// Hears.\n-pub fn hear() -> io::Result<()> {\n+/// Hears, and counts.\n+pub fn hear(count: &mut u32) -> io::Result<()> {\n+    *count += 1;\n     Ok(())\n }\n```";
    assert!(text.contains(diff), "{text}");
    let now = "```rust\n/// Hears, and counts.\npub fn hear(count: &mut u32) -> io::Result<()> {\n    *count += 1;\n    Ok(())\n}\n```";
    assert!(text.contains(now), "{text}");
}

#[test]
fn a_new_file_is_plain_rust() {
    let text = Tiny::new().resolved("{{#delta 02 src/mouth.rs struct Mouth, const TIMES}}");
    assert!(text.contains("· new file</figcaption>"), "{text}");
    let code = "```rust\n/// Speaks.\npub struct Mouth;\n// …\n// How often at most.\nconst TIMES: u32 = 3;\n```";
    assert!(text.contains(code), "{text}");
}

#[test]
fn an_item_takes_in_what_it_replaces_and_what_is_gone_can_be_named() {
    let text = Tiny::new().resolved("{{#delta 02 src/ear.rs fn awake}}");
    assert!(text.contains("-fn deaf() {}\n+fn awake() {}"), "{text}");
    let text = Tiny::new().resolved("{{#delta 02 src/ear.rs fn deaf}}");
    assert!(text.contains("-fn deaf() {}"), "{text}");
}

#[test]
fn of_a_long_function_only_the_changes_are_shown() {
    let tiny = Tiny::new();
    let long = |middle: &str| {
        let lines: String = (0..50).map(|n| format!("    let a{n} = {n};\n")).collect();
        format!("fn long() {{\n{}}}\n", lines.replace("a25 = 25", middle))
    };
    tiny.write("phases/01-one/src/long.rs", &long("a25 = 25"));
    tiny.write("phases/02-two/src/long.rs", &long("a25 = 0"));
    tiny.bless();
    let text = tiny.resolved("{{#delta 02 src/long.rs fn long}}");
    let diff = "```diff\n     let a22 = 22;\n     let a23 = 23;\n     let a24 = 24;\n-    let a25 = 25;\n+    let a25 = 0;\n     let a26 = 26;\n     let a27 = 27;\n     let a28 = 28;\n```";
    assert!(text.contains(diff), "{text}");
}

#[test]
fn a_renamed_function_is_found_by_the_chapter_that_shows_it() {
    let tiny = Tiny::new();
    tiny.edit("phases/02-two/src/ear.rs", "fn awake", "fn alert");
    tiny.bless();
    let tiny = tiny.page(
        "02-two.md",
        &chapter("{{#delta 02 src/ear.rs fn awake}}\n\n{{#rest 02}}"),
    );
    let failures = tiny.failures();
    assert_eq!(failures.len(), 1, "{failures:#?}");
    let wanted = "book/src/02-two.md:12: {{#delta 02 src/ear.rs fn awake}}: src/ear.rs has no `fn awake`; changed are fn hear, fn alert";
    assert!(failures[0].starts_with(wanted), "{}", failures[0]);
}

#[test]
fn the_rest_shows_what_no_delta_has_shown() {
    let shown = "{{#delta 02 src/mouth.rs}}\n{{#delta 02 src/ear.rs fn hear}}\n{{#rest 02}}";
    let tiny = Tiny::new().page("02-two.md", &chapter(shown));
    let resolved = tiny.resolve();
    assert_eq!(resolved.failures, []);
    let text = &resolved
        .pages
        .iter()
        .find(|page| page.path == "02-two.md")
        .expect("the chapter")
        .text;
    let (_, rest) = text.split_once("The rest of phase 02").expect("the rest");
    assert!(
        rest.contains("<code>src/lib.rs</code>") && rest.contains("+pub mod mouth;"),
        "{rest}"
    );
    assert!(
        rest.contains("+fn awake() {}") && !rest.contains("+    *count += 1;"),
        "{rest}"
    );
    assert!(!rest.contains("src/mouth.rs"), "{rest}");
}
