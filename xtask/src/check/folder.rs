//! Every phase's folder holds what it must.

use std::fs;
use std::path::Path;

use super::failure::Failures;
use crate::phases::Phase;

/// What every phase's folder must hold.
pub(super) fn files(root: &Path, phase: &Phase, failures: &mut Failures) {
    let folder = root.join(phase.folder());
    let shown = phase.folder();
    let shown = shown.display();

    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let package = toml::from_str::<toml::Table>(&manifest)
        .ok()
        .and_then(|manifest| Some(manifest.get("package")?.get("name")?.as_str()?.to_owned()));
    if package.as_ref() != Some(&phase.package()) {
        failures.add(
            format!(
                "{shown}/Cargo.toml does not name the package {}",
                phase.package()
            ),
            format!("write `name = \"{}\"`", phase.package()),
        );
    }

    match fs::read_to_string(folder.join("README.md")).map(|text| text.lines().count()) {
        Err(_) => failures.add(
            format!("{shown} has no README.md"),
            format!("say what the phase adds and how to run it, in at most {README_LINES} lines"),
        ),
        Ok(lines) if lines > README_LINES => failures.add(
            format!("{shown}/README.md has {lines} lines"),
            format!("keep it to {README_LINES} lines: the rest belongs in the chapter"),
        ),
        Ok(_) => {}
    }

    let package = phase.package();
    let line = format!("testkit::phase!(\"{package}\", env!(\"CARGO_BIN_EXE_{package}\"));");
    let behaviour = fs::read_to_string(folder.join("tests/behaviour.rs")).unwrap_or_default();
    if phase.number != "00" && !behaviour.contains(&line) {
        failures.add(
            format!("{shown}/tests/behaviour.rs does not run the phase's column of the matrix"),
            format!("write `{line}`"),
        );
    }
}

/// A phase's README only points the way; the chapter explains.
const README_LINES: usize = 25;
