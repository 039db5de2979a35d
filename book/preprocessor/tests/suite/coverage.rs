//! Nothing of a phase may be missing from its chapter.

use super::tiny::{Tiny, chapter};

#[test]
fn a_whole_chapter_holds() {
    let failures = Tiny::new().failures();
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn a_hunk_that_is_not_shown_is_named_with_its_place_in_the_delta() {
    let change = "{{#delta 02 src/config.rs}}\n\n{{#delta 02 src/ear.rs fn hear}}\n\n{{#delta 02 src/mouth.rs}}\n\n{{#delta 02 src/account/cause.rs}}";
    let failures = Tiny::new().page("02-two.md", &chapter(change)).failures();
    assert_eq!(failures.len(), 2, "{failures:#?}");
    let [ear, library] = [&failures[0], &failures[1]];
    assert!(
        ear.starts_with("book/src/02-two.md:10: phases/deltas/02.diff:"),
        "{ear}"
    );
    assert!(
        ear.contains("is not shown: src/ear.rs `-fn deaf() {}` and 1 more near it"),
        "{ear}"
    );
    assert!(
        library.contains("is not shown: src/lib.rs `+pub mod mouth;`"),
        "{library}"
    );
}

#[test]
fn a_line_that_is_gone_from_the_delta_is_named() {
    let tiny = Tiny::new();
    tiny.edit("phases/deltas/02.diff", "+    *count += 1;\n", "");
    let failures = tiny.failures();
    assert_eq!(failures.len(), 1, "{failures:#?}");
    let wanted = "book/src/02-two.md:10: phases/deltas/02.diff:";
    assert!(failures[0].starts_with(wanted), "{}", failures[0]);
    assert!(
        failures[0].contains("is not what the phase changes"),
        "{}",
        failures[0]
    );
}

#[test]
fn flags_metrics_and_flaws_are_named() {
    for (from, wanted) in [
        ("`--length` and ", "does not name the new flag `--length`"),
        (
            "`--loud-ness` and ",
            "does not name the new flag `--loud-ness`",
        ),
        (
            "`tcpproxy_words_total`",
            "does not name the new metric `tcpproxy_words_total`",
        ),
        ("{{#flaw deaf}}", "the flaw `deaf` is cured here"),
    ] {
        let text = chapter("{{#rest 02}}").replace(from, "");
        let failures = Tiny::new().page("02-two.md", &text).failures();
        assert_eq!(failures.len(), 1, "{failures:#?}");
        assert!(failures[0].contains(wanted), "{}", failures[0]);
    }
}

#[test]
fn tables_name_all_flags_and_metrics() {
    let text = chapter("{{#rest 02}}").replace(
        "`--length` and `--loud-ness` and `tcpproxy_words_total`.",
        "{{#flags 02}}\n\n{{#metrics 02}}",
    );
    let failures = Tiny::new().page("02-two.md", &text).failures();
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn an_unwritten_chapter_is_only_counted() {
    let tiny = Tiny::new().page("02-two.md", "<!-- unwritten -->\n# Two\n");
    let resolved = tiny.resolve();
    assert_eq!(resolved.failures, []);
    assert_eq!(resolved.unwritten, ["02-two.md"]);
}
