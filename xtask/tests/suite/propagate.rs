//! An edit reaches all later phases, or everything stays as it was.

use std::fs;

use xtask::propagate::{self, Outcome};

use crate::project::Project;

const LATER: [&str; 3] = ["02", "03", "04"];

#[test]
fn an_edit_reaches_every_later_phase_and_changes_one_delta() {
    let project = Project::new();
    let before = project.deltas();
    project.edit(
        "01",
        "src/relay.rs",
        "    read();\n",
        "    read();\n    count();\n",
    );

    assert_eq!(changed_deltas(propagate(&project, "01")), ["01.diff"]);

    for number in LATER {
        let relay = project.read(number, "src/relay.rs");
        assert!(
            relay.contains("    read();\n    count();\n\n    write();\n"),
            "{number}: {relay}"
        );
        assert!(
            relay.contains("fn added_in_02()"),
            "{number} lost what it had: {relay}"
        );
    }
    let after = project.deltas();
    assert_ne!(after["01.diff"], before["01.diff"]);
    for name in ["02.diff", "03.diff", "04.diff"] {
        assert_eq!(after[name], before[name], "{name}");
    }
}

#[test]
fn an_edit_beside_a_later_change_shows_in_that_delta_as_context() {
    let project = Project::new();
    project.edit("01", "src/relay.rs", "write();", "write_all();");

    assert_eq!(
        changed_deltas(propagate(&project, "01")),
        ["01.diff", "02.diff (only lines around the changes)"]
    );
}

#[test]
fn earlier_phases_are_left_alone() {
    let project = Project::new();
    let before = project.snapshot("01");
    project.edit("02", "src/relay.rs", "read();", "read_all();");

    done(propagate(&project, "02"));

    assert_eq!(project.snapshot("01"), before);
    assert!(project.read("04", "src/relay.rs").contains("read_all();"));
}

#[test]
fn the_last_phase_has_nobody_to_tell_but_is_blessed() {
    let project = Project::new();
    project.edit("04", "src/relay.rs", "read();", "read_all();");

    assert_eq!(changed_deltas(propagate(&project, "04")), ["04.diff"]);
}

#[test]
fn a_later_phase_with_edits_of_its_own_is_not_touched() {
    let project = Project::new();
    project.edit("01", "src/relay.rs", "read();", "read_all();");
    project.edit("03", "src/health.rs", "call();", "call_twice();");
    let before = LATER.map(|number| project.snapshot(number));

    let error = propagate::start(project.root(), "01", "HEAD")
        .expect_err("03 is edited")
        .to_string();

    assert!(
        error.contains("phases/03-health") && !error.contains("phases/02-balance"),
        "{error}"
    );
    assert_eq!(LATER.map(|number| project.snapshot(number)), before);
}

#[test]
fn a_new_file_in_a_later_phase_is_an_edit_too() {
    let project = Project::new();
    project.edit("01", "src/relay.rs", "read();", "read_all();");
    project.write_in("02", "src/draft.rs", "fn draft() {}\n");

    propagate::start(project.root(), "01", "HEAD").expect_err("02 has a draft");
}

#[test]
fn what_is_not_the_program_is_no_edit() {
    let project = Project::new();
    project.edit("01", "src/relay.rs", "read();", "read_all();");
    project.write_in("02", "README.md", "# Another title\n");

    done(propagate(&project, "01"));
}

#[test]
fn a_phase_calls_itself_by_its_own_name() {
    let project = Project::new();
    project.edit(
        "02",
        "src/main.rs",
        "    phase_02::run();\n",
        "    phase_02::start();\n    see(\"phase-02\", \"02-balance\", \"phase-00\", \"phase-021\");\n",
    );

    assert_eq!(changed_deltas(propagate(&project, "02")), ["02.diff"]);

    assert_eq!(
        project.read("03", "src/main.rs"),
        "fn main() {\n    phase_03::start();\n    see(\"phase-03\", \"03-health\", \"phase-00\", \"phase-021\");\n}\n"
    );
    assert!(
        project
            .read("04", "src/main.rs")
            .contains("see(\"phase-04\", \"04-failover\", ")
    );
    assert!(
        project
            .read("03", "Cargo.toml")
            .contains("name = \"phase-03\"")
    );
}

#[test]
fn an_edit_that_is_committed_already_can_still_be_carried() {
    let project = Project::new();
    project.edit("01", "src/relay.rs", "read();", "read_all();");
    project.commit();

    let error = propagate::start(project.root(), "01", "HEAD")
        .expect_err("nothing to see")
        .to_string();
    assert!(error.contains("--since"), "{error}");
    done(propagate::start(project.root(), "01", "HEAD~1").expect("a propagation"));

    assert!(project.read("04", "src/relay.rs").contains("read_all();"));
}

#[test]
fn what_is_not_text_is_refused_before_anything_is_written() {
    let project = Project::new();
    project.edit("01", "src/relay.rs", "read();", "read_all();");
    fs::write(project.path("01", "src/picture.png"), [0xff, 0xfe, 0x00]).expect("a written file");
    let before = LATER.map(|number| project.snapshot(number));

    let error = format!(
        "{:#}",
        propagate::start(project.root(), "01", "HEAD").expect_err("no text")
    );

    assert!(error.contains("picture.png is not text"), "{error}");
    assert_eq!(LATER.map(|number| project.snapshot(number)), before);
}

/// Carries what was edited since the last commit.
pub fn propagate(project: &Project, number: &str) -> Outcome {
    propagate::start(project.root(), number, "HEAD").expect("a propagation")
}

/// The edit reached the last phase.
pub fn done(outcome: Outcome) {
    changed_deltas(outcome);
}

/// The edit reached the last phase; these deltas changed on the way.
pub fn changed_deltas(outcome: Outcome) -> Vec<String> {
    match outcome {
        Outcome::Done { blessed, .. } => blessed.iter().map(ToString::to_string).collect(),
        other => panic!("it did not reach the last phase: {other:?}"),
    }
}
