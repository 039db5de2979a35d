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
fn a_conflict_waits_for_a_decision_and_then_goes_on() {
    let project = conflicting_in_03();

    let Outcome::Stopped { files, folder, .. } = propagate(&project, "01") else {
        panic!("no conflict")
    };
    assert_eq!(
        (folder.as_str(), files),
        ("phases/03-health", vec!["src/relay.rs".to_owned()])
    );
    assert!(
        project
            .read("02", "src/relay.rs")
            .contains("SIZE: usize = 32;"),
        "02 has no conflict"
    );
    let marked = project.read("03", "src/relay.rs");
    for part in [
        "<<<<<<< phase 03\n",
        "||||||| phase 02 without the edit\n",
        ">>>>>>> phase 02 with the edit\n",
        "usize = 8;",
        "usize = 16;",
        "usize = 32;",
    ] {
        assert!(marked.contains(part), "{part:?} is not in {marked}");
    }
    assert!(
        project
            .read("04", "src/relay.rs")
            .contains("SIZE: usize = 16;"),
        "04 was not reached"
    );

    let error = propagate::resume(project.root())
        .expect_err("markers are left")
        .to_string();
    assert!(error.contains("src/relay.rs"), "{error}");
    let error = propagate::start(project.root(), "01", "HEAD")
        .expect_err("one is waiting")
        .to_string();
    assert!(error.contains("--continue"), "{error}");

    let (top, rest) = marked.split_once("<<<<<<<").expect("markers");
    let (_, bottom) = rest
        .split_once(">>>>>>> phase 02 with the edit\n")
        .expect("markers");
    project.write_in(
        "03",
        "src/relay.rs",
        &format!("{top}const SIZE: usize = 64;\n{bottom}"),
    );
    done(propagate::resume(project.root()).expect("a continued propagation"));

    assert!(
        project
            .read("04", "src/relay.rs")
            .contains("SIZE: usize = 64;")
    );
    assert!(
        project
            .read("04", "src/relay.rs")
            .contains("fn added_in_04()")
    );
    propagate::resume(project.root()).expect_err("nothing waits any more");
}

#[test]
fn an_abort_restores_the_later_phases_byte_for_byte() {
    let project = conflicting_in_03();
    project.write_in("01", "src/new/deep.rs", "fn new() {}\n");
    project.remove("01", "src/main.rs");
    let before = LATER.map(|number| project.snapshot(number));
    let edited = project.snapshot("01");

    assert!(matches!(propagate(&project, "01"), Outcome::Stopped { .. }));
    assert_ne!(
        LATER.map(|number| project.snapshot(number)),
        before,
        "something was written"
    );
    propagate::abort(project.root()).expect("an abort");

    assert_eq!(LATER.map(|number| project.snapshot(number)), before);
    assert_eq!(project.snapshot("01"), edited, "the edit itself stays");
    propagate::abort(project.root()).expect_err("nothing waits any more");
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
fn an_edit_that_is_made_while_a_conflict_waits_is_not_lost() {
    let project = conflicting_in_03();
    assert!(matches!(propagate(&project, "01"), Outcome::Stopped { .. }));
    project.edit("03", "src/relay.rs", "<<<<<<< phase 03\n", "");
    project.edit(
        "03",
        "src/relay.rs",
        "||||||| phase 02 without the edit\n",
        "",
    );
    project.edit("03", "src/relay.rs", ">>>>>>> phase 02 with the edit\n", "");
    project.edit("04", "src/health.rs", "call();", "call_twice();");

    let error = propagate::resume(project.root())
        .expect_err("04 is edited")
        .to_string();

    assert!(error.contains("phases/04-failover"), "{error}");
}

#[test]
fn a_new_file_is_added_everywhere() {
    let project = Project::new();
    project.write_in("02", "src/deep/new.rs", "fn new() {}\n");

    done(propagate(&project, "02"));

    for number in ["03", "04"] {
        assert_eq!(project.read(number, "src/deep/new.rs"), "fn new() {}\n");
    }
}

#[test]
fn a_new_file_that_a_later_phase_has_otherwise_is_a_conflict() {
    let project = Project::new();
    project.write_in("01", "src/health.rs", "fn something_else() {}\n");

    let Outcome::Stopped { folder, files, .. } = propagate(&project, "01") else {
        panic!("no conflict")
    };

    assert_eq!(
        (folder.as_str(), files),
        ("phases/03-health", vec!["src/health.rs".to_owned()])
    );
    let marked = project.read("03", "src/health.rs");
    assert!(
        marked.contains("fn something_else()") && marked.contains("fn check()"),
        "{marked}"
    );
}

#[test]
fn a_deleted_file_is_deleted_everywhere() {
    let project = Project::new();
    project.write_in("01", "src/deep/old.rs", "fn old() {}\n");
    done(propagate(&project, "01"));
    project.commit();
    project.remove("01", "src/deep/old.rs");
    fs::remove_dir(project.path("01", "src/deep")).expect("an empty folder");

    done(propagate(&project, "01"));

    for number in LATER {
        assert!(!project.path(number, "src/deep").exists(), "{number}");
        assert!(project.path(number, "src/relay.rs").exists(), "{number}");
    }
}

#[test]
fn a_deleted_file_that_a_later_phase_changed_is_a_conflict() {
    let project = Project::new();
    project.remove("01", "src/relay.rs");

    let Outcome::Stopped { folder, files, .. } = propagate(&project, "01") else {
        panic!("no conflict")
    };
    assert_eq!(
        (folder.as_str(), files),
        ("phases/02-balance", vec!["src/relay.rs".to_owned()])
    );

    // Deciding that the file is not wanted there either leads to the same question in the next phase.
    project.remove("02", "src/relay.rs");
    let Outcome::Stopped { folder, .. } = propagate::resume(project.root()).expect("an answer")
    else {
        panic!("no conflict")
    };
    assert_eq!(folder, "phases/03-health");
}

#[test]
fn an_edit_of_a_file_that_a_later_phase_has_no_more_is_a_conflict() {
    let project = Project::new();
    project.remove("03", "src/relay.rs");
    project.remove("04", "src/relay.rs");
    project.commit();
    project.edit("01", "src/relay.rs", "read();", "read_all();");

    let Outcome::Stopped { folder, files, .. } = propagate(&project, "01") else {
        panic!("no conflict")
    };
    assert_eq!(
        (folder.as_str(), files),
        ("phases/03-health", vec!["src/relay.rs".to_owned()])
    );
    assert!(project.read("03", "src/relay.rs").contains("<<<<<<< "));

    project.remove("03", "src/relay.rs");
    done(propagate::resume(project.root()).expect("a continued propagation"));
    assert!(!project.path("04", "src/relay.rs").exists());
}

#[test]
fn a_renamed_file_keeps_what_the_later_phases_added() {
    let project = Project::new();
    let relay = project.read("01", "src/relay.rs");
    project.remove("01", "src/relay.rs");
    project.write_in(
        "01",
        "src/copy.rs",
        &relay.replace("SIZE: usize = 8;", "SIZE: usize = 16;"),
    );

    done(propagate(&project, "01"));

    for number in LATER {
        assert!(!project.path(number, "src/relay.rs").exists(), "{number}");
        let copy = project.read(number, "src/copy.rs");
        assert!(
            copy.contains("SIZE: usize = 16;") && copy.contains("fn added_in_02()"),
            "{number}: {copy}"
        );
    }
    assert!(
        project
            .read("04", "src/copy.rs")
            .contains("fn added_in_04()")
    );
}

#[test]
fn an_edit_follows_a_file_that_a_later_phase_renamed() {
    let project = Project::new();
    for number in ["03", "04"] {
        fs::rename(
            project.path(number, "src/relay.rs"),
            project.path(number, "src/copy.rs"),
        )
        .expect("a renamed file");
    }
    project.bless();
    project.commit();
    project.edit("01", "src/relay.rs", "read();", "read_all();");

    done(propagate(&project, "01"));

    assert!(!project.path("03", "src/relay.rs").exists());
    let copy = project.read("04", "src/copy.rs");
    assert!(
        copy.contains("read_all();") && copy.contains("fn added_in_04()"),
        "{copy}"
    );
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

/// An edit of 01 that meets another decision about the same constant in 03.
fn conflicting_in_03() -> Project {
    let project = Project::new();
    for number in ["03", "04"] {
        project.edit(
            number,
            "src/relay.rs",
            "SIZE: usize = 8;",
            "SIZE: usize = 16;",
        );
    }
    project.bless();
    project.commit();
    project.edit(
        "01",
        "src/relay.rs",
        "SIZE: usize = 8;",
        "SIZE: usize = 32;",
    );
    project
}

fn propagate(project: &Project, number: &str) -> Outcome {
    propagate::start(project.root(), number, "HEAD").expect("a propagation")
}

fn done(outcome: Outcome) {
    changed_deltas(outcome);
}

fn changed_deltas(outcome: Outcome) -> Vec<String> {
    match outcome {
        Outcome::Done { blessed, .. } => blessed.iter().map(ToString::to_string).collect(),
        other => panic!("it did not reach the last phase: {other:?}"),
    }
}
