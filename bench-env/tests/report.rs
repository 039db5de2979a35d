//! From saved results to the report: what was measured stays the same, and so must what
//! a reader is shown of it.

#![expect(clippy::unwrap_used, reason = "a test may panic, and then says where")]

use std::fs;
use std::path::Path;

use bench_env::report;

/// Ratios, a round with errors that must not count, somebody who is missing.
#[test]
fn a_comparison() {
    insta::assert_snapshot!(rendered("fair", &["fair.md", "fair-req-per-s.svg"]));
}

/// Memory over time, and phases that were not built for speed.
#[test]
fn a_leak() {
    insta::assert_snapshot!(rendered("leak", &["leak.md", "leak-memory.svg"]));
}

/// Cases on an axis, and pictures that stand inside the page.
#[test]
fn a_sweep() {
    let shown = rendered("peek", &["peek.book.md"]);

    let picture = &shown[shown.find("<figure>").unwrap()..shown.find("</figure>").unwrap()];
    assert!(
        !picture.contains("\n\n"),
        "an empty line ends the picture in Markdown"
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn results_of_another_schema_are_refused() {
    let json = fs::read_to_string(results("fair")).unwrap();
    let error = report::read(&json.replacen("\"schema\": 1", "\"schema\": 999", 1)).unwrap_err();
    assert!(error.to_string().contains("schema 999"), "{error}");
}

fn rendered(name: &str, files: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let outcome = report::read(&fs::read_to_string(results(name)).unwrap()).unwrap();
    report::write(&outcome, folder.path()).unwrap();

    let show = |file: &&str| {
        let content = fs::read_to_string(folder.path().join(file)).unwrap();
        format!("==> {file}\n{content}")
    };
    files.iter().map(show).collect()
}

fn results(name: &str) -> std::path::PathBuf {
    Path::new("tests/results").join(format!("{name}.json"))
}
