//! Where a merge cannot decide, nothing is lost.

use xtask::propagate::{self, Outcome};

use crate::project::Project;
use crate::propagate::{done, propagate};

const LATER: [&str; 3] = ["02", "03", "04"];

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
    let error = propagate::resume(project.root()).expect_err("nothing waits any more");
    assert!(
        error.to_string().contains("no propagation waits"),
        "{error}"
    );
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
fn edits_that_only_touch_are_both_kept() {
    let project = Project::new();
    for number in LATER {
        project.edit(
            number,
            "src/relay.rs",
            "usize = 8;\n",
            "usize = 8;\n\nconst MORE: usize = 9;\n",
        );
        project.edit(
            number,
            "src/relay.rs",
            "const SIZE",
            "/// Bytes.\nconst SIZE",
        );
    }
    project.bless();
    project.commit();
    project.edit("01", "src/relay.rs", "usize = 8;\n", "usize = 16;\n");

    done(propagate(&project, "01"));

    let relay = project.read("04", "src/relay.rs");
    assert!(
        relay.contains(
            "\n/// Bytes.\nconst SIZE: usize = 16;\n\nconst MORE: usize = 9;\n\nfn relay"
        ),
        "{relay}"
    );
}

#[test]
fn two_additions_at_one_place_wait_for_a_decision() {
    let project = Project::new();
    for number in LATER {
        project.edit(
            number,
            "src/relay.rs",
            "usize = 8;\n",
            "usize = 8;\nconst MORE: usize = 9;\n",
        );
    }
    project.bless();
    project.commit();
    project.edit(
        "01",
        "src/relay.rs",
        "usize = 8;\n",
        "usize = 8;\nconst LESS: usize = 7;\n",
    );

    assert!(matches!(propagate(&project, "01"), Outcome::Stopped { .. }));
}

#[test]
fn a_removed_line_beside_an_addition_waits_for_a_decision() {
    let project = Project::new();
    for number in LATER {
        project.edit(
            number,
            "src/relay.rs",
            "    read();\n",
            "    read();\n    count();\n",
        );
    }
    project.bless();
    project.commit();
    project.edit("01", "src/relay.rs", "    read();\n", "");

    assert!(matches!(propagate(&project, "01"), Outcome::Stopped { .. }));
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
