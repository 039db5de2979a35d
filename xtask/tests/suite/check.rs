//! Whatever drifts apart is found, and so is the way to mend it.

use std::path::Path;

use xtask::check;
use xtask::phases::Index;
use xtask::propagate;

use crate::project::Project;

#[test]
fn the_index_of_this_project_can_be_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");

    let index = Index::load(&root).expect("the index");

    assert_eq!(index.find("0").expect("phase 00").name, "backends");
    for phase in &index.phases {
        assert!(
            root.join(phase.folder()).is_dir(),
            "{}",
            phase.folder().display()
        );
    }
}

#[test]
fn a_sound_project_has_no_failures() {
    assert_failures(&Project::new(), &[]);
}

#[test]
fn a_forgotten_propagation_is_found() {
    let project = Project::new();
    project.edit("02", "src/relay.rs", "read();", "read_all();");
    project.commit();

    let failures = failures(&project);

    assert_eq!(failures.len(), 2, "{failures:?}");
    assert!(
        failures[0].contains("02.diff is not what phase 02 changes")
            && failures[0].contains("bless 02")
    );
    // The next phase takes the edit back, and the mend is named after the phase that was edited.
    assert!(
        failures[1].contains("03.diff is not what phase 03 changes"),
        "{}",
        failures[1]
    );
    assert!(
        failures[1].contains("+ -    read_all();") && failures[1].contains("propagate 02"),
        "{}",
        failures[1]
    );
}

#[test]
fn a_carried_fix_holds() {
    let project = Project::new();
    project.edit("02", "src/relay.rs", "read();", "read_all();");
    propagate::start(project.root(), "02", "HEAD").expect("a propagation");

    assert_failures(&project, &[]);
}

#[test]
fn an_unfinished_propagation_is_found() {
    let project = Project::new();
    project.write_in("02", "src/health.rs", "fn something_else() {}\n");
    propagate::start(project.root(), "02", "HEAD").expect("a conflict");

    assert!(failures(&project)[0].contains("a propagation waits in phase 03"));
}

#[test]
fn deltas_and_phases_belong_together() {
    let project = Project::new();
    std::fs::remove_file(project.root().join("phases/deltas/03.diff")).expect("a removed file");
    project.write("phases/deltas/19.diff", "");
    project.write("phases/05-new/Cargo.toml", "");

    assert_failures(
        &project,
        &[
            "phases/05-new is not in phases/phases.toml",
            "phases/deltas/19.diff belongs to no phase",
            "phases/deltas/03.diff is missing",
        ],
    );
}

#[test]
fn a_phase_keeps_to_its_budget() {
    let project = Project::new();
    let lines = "fn line() {}\n".repeat(148) + "\n\n\n";
    project.write_in("04", "src/more.rs", &lines);
    project.write_in("04", "src/more/tests.rs", &lines);
    project.bless();
    assert_failures(&project, &["phase 04 changes 151 lines; its budget is 150"]);

    extend_index(&project, "budget = 151\n");
    assert_failures(&project, &[]);

    extend_index(&project, "budget = 251\n");
    assert_failures(&project, &["phase 04 has a budget of 251 lines, above 250"]);

    extend_index(&project, "budget = 251\nreason = \"It is one file.\"\n");
    assert_failures(&project, &[]);
}

#[test]
fn a_phase_changes_few_files() {
    let project = Project::new();
    for file in 0..7 {
        project.write_in(
            "04",
            &format!("src/file_{file}.rs"),
            &"fn line() {}\n".repeat(11),
        );
        project.write_in("04", &format!("src/wire_{file}.rs"), "fn line() {}\n");
    }
    project.bless();
    assert_failures(&project, &["phase 04 changes 7 files, more than 6"]);

    extend_index(&project, "reason = \"They are small.\"\n");
    assert_failures(&project, &[]);
}

#[test]
fn a_phase_has_its_files() {
    let project = Project::new();
    project.write_in("02", "Cargo.toml", "[package]\nname = \"phase-01\"\n");
    project.write_in("02", "README.md", &"line\n".repeat(26));
    project.remove("03", "README.md");
    project.edit("04", "tests/behaviour.rs", "EXE_phase-04", "EXE_phase-03");
    project.bless();

    assert_failures(
        &project,
        &[
            "phases/02-balance/Cargo.toml does not name the package phase-02",
            "phases/02-balance/README.md has 26 lines",
            "phases/03-health has no README.md",
            "phases/04-failover/tests/behaviour.rs does not run the phase's column",
        ],
    );
}

#[test]
fn a_phase_without_a_folder_is_found() {
    let project = Project::new();
    project.write(
        "phases/phases.toml",
        &index_text(&project).replace("\"failover\"", "\"fallover\""),
    );

    let failures = failures(&project);

    assert!(
        failures
            .iter()
            .any(|failure| failure.contains("no folder phases/04-fallover")),
        "{failures:?}"
    );
}

#[test]
fn phases_are_numbered_in_order() {
    let project = Project::new();
    let text = index_text(&project);
    let (before, after) = text
        .split_once("[[phase]]\nnumber = \"02\"")
        .expect("phase 02");
    project.write(
        "phases/phases.toml",
        &format!("[[phase]]\nnumber = \"02\"{after}{before}"),
    );

    assert!(failures(&project)[0].contains("phase 02 stands where phase 00 belongs"));
}

#[test]
fn a_flaw_is_born_once_and_cured_later() {
    let project = Project::new();
    extend_index(
        &project,
        "cures = [\"leak\", \"lake\"]\n[[phase.flaw]]\nid = \"leak\"\nsymptom = \"It leaks.\"\n\
         [[phase.flaw]]\nid = \"leak\"\nsymptom = \"It leaks again.\"\n",
    );

    assert_failures(
        &project,
        &[
            "flaw leak is born in phase 04 and in phase 04",
            "phase 04 cures leak, which is born in phase 04",
            "phase 04 cures lake, which no phase has",
        ],
    );
}

#[test]
fn an_unknown_key_in_the_index_is_an_error() {
    let project = Project::new();
    extend_index(&project, "bugdet = 200\n");

    let error = format!(
        "{:#}",
        check::phases(project.root()).expect_err("a misspelt key")
    );

    assert!(error.contains("bugdet"), "{error}");
}

/// Replaces what stands after the last phase's fixed keys.
fn extend_index(project: &Project, keys: &str) {
    let text = index_text(project);
    let (fixed, name) = text.split_once("name = \"failover\"").expect("phase 04");
    let kept: String = name.split_inclusive('\n').take(3).collect();
    project.write(
        "phases/phases.toml",
        &format!("{fixed}name = \"failover\"{kept}{keys}"),
    );
}

fn index_text(project: &Project) -> String {
    std::fs::read_to_string(project.root().join("phases/phases.toml")).expect("the index")
}

fn failures(project: &Project) -> Vec<String> {
    check::phases(project.root())
        .expect("a checked project")
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[track_caller]
fn assert_failures(project: &Project, expected: &[&str]) {
    let found = failures(project);
    assert_eq!(found.len(), expected.len(), "{found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!(
            found.starts_with(expected),
            "{found:?} does not begin with {expected:?}"
        );
    }
}
