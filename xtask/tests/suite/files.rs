//! Files come, go and change their names in every later phase too.

use std::fs;

use xtask::propagate::{self, Outcome};

use crate::project::Project;
use crate::propagate::{done, propagate};

const LATER: [&str; 3] = ["02", "03", "04"];

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

    // Deciding that the file is not wanted there either leads to the same question in the next
    // phase.
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
