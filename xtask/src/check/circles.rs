//! The files of a crate use each other in one direction. What goes round in a circle can only be
//! understood all at once.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::failure::Failures;
use super::uses::{self, Uses};
use crate::phases::Index;

/// Looks at each phase. A circle is listed for the phase in which it is born, and not again for
/// those that come later.
pub(super) fn phases(root: &Path, index: &Index, failures: &mut Failures) {
    let mut known = BTreeSet::new();
    for phase in &index.phases {
        look(root, &phase.folder(), &mut known, failures);
    }
}

/// Looks at the crates that are no phases.
pub(super) fn tools(root: &Path, failures: &mut Failures) -> Result<()> {
    let text = fs::read_to_string(root.join("Cargo.toml")).context("cannot read Cargo.toml")?;
    let manifest: Manifest = toml::from_str(&text).context("Cargo.toml is no workspace")?;
    let members = manifest.workspace.members;
    for tool in members.iter().filter(|member| !member.contains('*')) {
        look(root, Path::new(tool), &mut BTreeSet::new(), failures);
    }
    Ok(())
}

fn look(root: &Path, folder: &Path, known: &mut BTreeSet<Circle>, failures: &mut Failures) {
    let shown = folder.display();
    match uses::of(&root.join(folder)) {
        Err(error) => failures.add(format!("{shown}: {error:#}"), "mend this first"),
        Ok(uses) => {
            for circle in circles(&uses) {
                if known.insert(circle.clone()) {
                    failures.add(
                        format!("circle in {shown}: {}", drawn(&circle, &uses)),
                        "move what both ends need down into a file of its own, or hand over a \
                         value instead of all it stands in",
                    );
                }
            }
        }
    }
}

#[derive(Deserialize)]
struct Manifest {
    workspace: Workspace,
}

#[derive(Deserialize)]
struct Workspace {
    members: Vec<String>,
}

/// The files of a circle, in the order in which they use each other.
type Circle = Vec<String>;

/// Circles, the shortest first, until none is left when their arrows are taken away. No two of them
/// share an arrow, so each one has to be mended for itself.
fn circles(uses: &Uses) -> Vec<Circle> {
    let mut left = uses.clone();
    let mut circles = Vec::new();
    let shortest = |left: &Uses| {
        let ways = left.keys().filter_map(|file| way_back(left, file));
        ways.min_by_key(Vec::len)
    };
    while let Some(circle) = shortest(&left) {
        for (file, next) in arrows(&circle) {
            left.entry(file.clone()).or_default().remove(next);
        }
        circles.push(circle);
    }
    circles
}

/// The shortest way from `file` over others back to itself, if there is one.
fn way_back(uses: &Uses, file: &str) -> Option<Circle> {
    let mut seen = BTreeSet::new();
    let mut ways = VecDeque::from([vec![file.to_owned()]]);
    while let Some(way) = ways.pop_front() {
        for next in uses[&way[way.len() - 1]].keys() {
            if next == file {
                return Some(way);
            }
            if seen.insert(next) {
                ways.push_back([&way[..], std::slice::from_ref(next)].concat());
            }
        }
    }
    None
}

/// `src/a.rs → src/b.rs (B) → src/a.rs (A)`: what is used stands behind the file that has it.
fn drawn(circle: &Circle, uses: &Uses) -> String {
    let mut drawn = circle[0].clone();
    for (file, next) in arrows(circle) {
        let names: Vec<_> = uses[file][next].iter().map(String::as_str).collect();
        drawn += &format!(" → {next} ({})", names.join(", "));
    }
    drawn
}

/// Each file of a circle with the one that it uses.
fn arrows(circle: &Circle) -> impl Iterator<Item = (&String, &String)> {
    circle.iter().zip(circle.iter().cycle().skip(1))
}
