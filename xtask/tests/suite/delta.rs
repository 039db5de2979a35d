//! A delta says what a phase changes, and nothing that shifts by itself.

use xtask::bless;
use xtask::phases::Index;
use xtask::show;

use crate::project::Project;

#[test]
fn hunk_heads_have_no_line_numbers() {
    let project = Project::new();

    let deltas = project.deltas();

    assert_eq!(
        deltas["02.diff"],
        "--- a/src/relay.rs\n+++ b/src/relay.rs\n@@ @@\n \n     write();\n }\n+\n+fn added_in_02() {\n+    call();\n+}\n"
    );
}

#[test]
fn the_first_delta_is_the_whole_program() {
    let project = Project::new();

    let delta = &project.deltas()["01.diff"];

    assert!(
        delta.starts_with(
            "--- /dev/null\n+++ b/Cargo.toml\n@@ @@\n+[package]\n+name = \"phase-NN\"\n"
        ),
        "{delta}"
    );
    assert!(delta.contains("+    phase_NN::run();\n"), "{delta}");
    assert!(!project.deltas().contains_key("00.diff"));
}

#[test]
fn new_and_deleted_files_are_named_and_files_are_sorted() {
    let project = Project::new();
    project.remove("04", "src/health.rs");
    project.write_in("04", "src/aaa.rs", "fn aaa() {}");
    project.bless();

    let delta = &project.deltas()["04.diff"];

    let heads: Vec<&str> = delta
        .lines()
        .filter(|line| line.starts_with("--- ") || line.starts_with("+++ "))
        .collect();
    assert_eq!(
        heads,
        [
            "--- /dev/null",
            "+++ b/src/aaa.rs",
            "--- a/src/health.rs",
            "+++ /dev/null",
            "--- a/src/relay.rs",
            "+++ b/src/relay.rs"
        ]
    );
    assert!(
        delta.contains("+fn aaa() {}\n\\ No newline at end of file\n"),
        "{delta}"
    );
}

#[test]
fn only_what_differs_is_rewritten() {
    let project = Project::new();
    let index = Index::load(project.root()).expect("an index");
    project.edit("02", "src/relay.rs", "read();", "read_all();");

    let two = index.find_step("2").expect("phase 02");
    let blessed = bless::bless(project.root(), &index, [two]).expect("a blessed delta");
    assert_eq!(
        blessed.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["02.diff"]
    );

    let blessed = bless::bless(project.root(), &index, index.steps()).expect("blessed deltas");
    assert_eq!(
        blessed.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["03.diff"],
        "its old side changed"
    );
}

#[test]
fn any_two_phases_can_be_compared_both_ways() {
    let project = Project::new();
    let difference =
        |old, new, file| show::difference(project.root(), old, new, file).expect("a difference");

    let forth = difference("01", "04", Some("relay.rs"));
    let back = difference("4", "1", None);

    let added = forth.files[0]
        .body
        .lines()
        .filter(|line| line.starts_with('+'))
        .count();
    let removed = back
        .to_string()
        .lines()
        .filter(|line| line.starts_with("-") && !line.starts_with("---"))
        .count();
    assert_eq!((forth.files.len(), added), (1, 12));
    assert_eq!(
        (back.files.len(), removed),
        (2, 12 + 3),
        "relay.rs and health.rs; names are no difference"
    );
    assert!(show::coloured(&forth).contains("\x1b[32m+fn added_in_02() {\x1b[0m\n"));
    show::difference(project.root(), "01", "04", Some("nothing.rs")).expect_err("no such file");
}
