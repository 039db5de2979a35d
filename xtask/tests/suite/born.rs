//! A line is traced to the phase that wrote it.

use std::fs;

use xtask::born::born;

use crate::project::Project;

#[test]
fn a_line_is_traced_back_through_shifts() {
    let project = Project::new();
    project.edit(
        "04",
        "src/relay.rs",
        "//! Copies.\n",
        "//! Copies.\n//! More.\n",
    );

    assert_eq!(
        birth(&project, "04", "src/relay.rs", "read();"),
        "born in phase 01 (forwarder), src/relay.rs:6"
    );
    assert_eq!(
        birth(&project, "04", "relay.rs", "added_in_03"),
        "born in phase 03 (health), src/relay.rs:15"
    );
    assert_eq!(
        birth(&project, "04", "relay.rs", "More."),
        "born in phase 04 (failover), src/relay.rs:2"
    );
    assert_eq!(
        birth(&project, "04", "health.rs", "fn check"),
        "born in phase 03 (health), src/health.rs:1"
    );
}

#[test]
fn equal_text_is_not_enough() {
    let project = Project::new();
    let relay = project.read("03", "src/relay.rs");
    let last_brace = relay.lines().count();

    let birth = born(project.root(), "03", "src/relay.rs", last_brace).expect("a birth");

    assert_eq!(
        birth.number, "03",
        "every phase has a brace, but not this one"
    );
}

#[test]
fn a_phases_own_name_is_no_change() {
    let project = Project::new();

    assert_eq!(
        birth(&project, "04", "main.rs", "phase_04"),
        "born in phase 01 (forwarder), src/main.rs:2"
    );
}

#[test]
fn a_renamed_file_is_followed() {
    let project = Project::new();
    fs::rename(
        project.path("04", "src/relay.rs"),
        project.path("04", "src/copy.rs"),
    )
    .expect("a renamed file");

    assert_eq!(
        birth(&project, "04", "copy.rs", "added_in_02"),
        "born in phase 02 (balance), src/relay.rs:11"
    );
}

#[test]
fn what_is_not_there_is_said() {
    let project = Project::new();

    let error = born(project.root(), "01", "nothing.rs", 1)
        .expect_err("no file")
        .to_string();
    assert!(
        error.contains("src/relay.rs"),
        "it lists what there is: {error}"
    );
    for line in [0, 10] {
        let error = born(project.root(), "01", "relay.rs", line)
            .expect_err("no line")
            .to_string();
        assert!(error.contains("9 lines"), "{error}");
    }
}

/// The birth of the only line with this text.
fn birth(project: &Project, number: &str, file: &str, text: &str) -> String {
    let path = if file.starts_with("src/") {
        file.to_owned()
    } else {
        format!("src/{file}")
    };
    let position = project
        .read(number, &path)
        .lines()
        .position(|line| line.contains(text))
        .expect("a line");
    born(project.root(), number, file, position + 1)
        .expect("a birth")
        .to_string()
}
