//! What a caller sees: exit codes, and text that fits where it goes.

use std::process::{Command, Output};

use crate::project::Project;

#[test]
fn a_failed_check_says_how_to_mend_it_and_exits_with_1() {
    let project = Project::new();
    let output = xtask(&project, "src", &["check", "--no-cargo"]);
    assert_eq!(
        (output.status.code(), text(&output)),
        (Some(0), "everything holds\n".to_owned())
    );

    project.edit("04", "src/relay.rs", "read();", "read_all();");
    let output = xtask(&project, "", &["check", "--no-cargo"]);

    assert_eq!(output.status.code(), Some(1));
    let text = text(&output);
    assert!(
        text.contains("cargo xtask bless 04") && text.ends_with("failures: 1\n"),
        "{text}"
    );
}

#[test]
fn a_conflict_says_how_to_go_on_and_exits_with_1() {
    let project = Project::new();
    project.write_in("02", "src/health.rs", "fn something_else() {}\n");

    let output = xtask(&project, "", &["propagate", "2"]);

    assert_eq!(output.status.code(), Some(1));
    let text = text(&output);
    for part in ["phases/03-health/src/health.rs\n", "--continue", "--abort"] {
        assert!(text.contains(part), "{part:?} is not in {text}");
    }
    assert_eq!(
        xtask(&project, "", &["propagate", "--abort"]).status.code(),
        Some(0)
    );
}

#[test]
fn a_difference_in_a_pipe_has_no_colours() {
    let output = xtask(&Project::new(), "", &["diff", "1", "2", "relay.rs"]);

    let text = text(&output);
    assert!(
        text.contains("\n+fn added_in_02() {\n") && !text.contains('\x1b'),
        "{text}"
    );
}

#[test]
fn a_place_is_a_file_and_a_line() {
    let project = Project::new();

    let output = xtask(&project, "", &["born", "4", "src/relay.rs:6"]);
    assert_eq!(
        text(&output),
        "born in phase 01 (forwarder), src/relay.rs:6\n"
    );

    for place in ["src/relay.rs", "src/relay.rs:x"] {
        assert_eq!(
            xtask(&project, "", &["born", "4", place]).status.code(),
            Some(2),
            "{place}"
        );
    }
}

#[test]
fn blessing_says_what_changed() {
    let project = Project::new();
    assert_eq!(text(&xtask(&project, "", &["bless"])), "no delta changed\n");

    project.write("phases/deltas/19.diff", "");
    project.edit("03", "src/health.rs", "call();", "call_twice();");
    project.edit("04", "src/health.rs", "call();", "call_twice();");

    assert_eq!(
        text(&xtask(&project, "", &["bless"])),
        "removed: 19.diff\nchanged: 03.diff\n"
    );
    assert_eq!(
        xtask(&project, "", &["bless", "0"]).status.code(),
        Some(1),
        "00 has no delta"
    );
}

/// Runs the program in a folder of phase 01.
fn xtask(project: &Project, folder: &str, arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .current_dir(project.path("01", folder))
        .args(arguments)
        .output();
    output.expect("a finished program")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
