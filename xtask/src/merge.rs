//! Merges an edit of one phase's program into the next phase's program.

mod adjacent;

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use crate::git;
use crate::program::Program;

/// The next phase's program with the edit in it.
#[derive(Debug)]
pub struct Merged {
    /// The files; those in `conflicts` hold markers.
    pub program: Program,
    /// Files that someone has to decide about.
    pub conflicts: Vec<String>,
}

/// Carries the edit from `base` to `theirs` into `ours`. All three are written with the same names
/// for themselves; `labels` name ours, base and theirs in the markers.
pub fn merge(
    base: &Program,
    ours: &Program,
    theirs: &Program,
    labels: [&str; 3],
) -> Result<Merged> {
    let in_ours = follow(base, ours)?;
    let in_theirs = follow(base, theirs)?;
    let mut merged = Merged {
        program: Program::new(),
        conflicts: Vec::new(),
    };

    for (path, before) in base {
        let our_path = in_ours.get(path);
        let their_path = in_theirs.get(path);
        // A file that the edit renames takes its new name; a name that only the later phase gave it
        // stays.
        let target = match (our_path, their_path) {
            (Some(ours), Some(theirs)) if theirs == path => ours,
            (_, Some(theirs)) => theirs,
            (Some(ours), None) => ours,
            (None, None) => continue,
        };
        let our_text = our_path.map(|path| ours[path].as_str());
        let their_text = their_path.map(|path| theirs[path].as_str());
        merged.add(target, Some(before.as_str()), our_text, their_text, labels)?;
    }

    let our_new = new_files(ours, &in_ours);
    let their_new = new_files(theirs, &in_theirs);
    for path in our_new
        .keys()
        .chain(their_new.keys())
        .collect::<BTreeSet<_>>()
    {
        merged.add(
            path,
            None,
            our_new.get(path).copied(),
            their_new.get(path).copied(),
            labels,
        )?;
    }

    merged.conflicts.sort();
    merged.conflicts.dedup();
    Ok(merged)
}

impl Merged {
    /// Adds one file, which `None` says does not exist on that side.
    fn add(
        &mut self,
        path: &str,
        base: Option<&str>,
        ours: Option<&str>,
        theirs: Option<&str>,
        labels: [&str; 3],
    ) -> Result<()> {
        let kept = if ours == theirs || theirs == base {
            Some(ours)
        } else if ours == base {
            Some(theirs)
        } else {
            None
        };
        let (text, conflict) = match kept {
            Some(None) => return Ok(()),
            Some(Some(text)) => (text.to_owned(), false),
            None => {
                let [ours_or_empty, base_or_empty, theirs_or_empty] =
                    [ours, base, theirs].map(Option::unwrap_or_default);
                let merged =
                    git::merge_file(ours_or_empty, base_or_empty, theirs_or_empty, labels)?;
                let (text, conflict) = adjacent::settle(&merged, labels);
                // Whether an edited file is still wanted where the other side removed it is never
                // clear.
                (text, conflict || ours.is_none() || theirs.is_none())
            }
        };
        // Two files can end up under one name, for instance when one is renamed to what the other
        // side just added.
        let (text, conflict) = match self.program.get(path) {
            Some(other) if *other != text => (git::merge_file(other, "", &text, labels)?, true),
            _ => (text, conflict),
        };
        if conflict {
            self.conflicts.push(path.to_owned());
        }
        self.program.insert(path.to_owned(), text);
        Ok(())
    }
}

/// Where each file of `old` is in `new`; a file that `new` has no more is left out.
fn follow(old: &Program, new: &Program) -> Result<BTreeMap<String, String>> {
    let same = old
        .keys()
        .filter(|path| new.contains_key(*path))
        .map(|path| (path.clone(), path.clone()));
    Ok(same.chain(git::renames(old, new)?).collect())
}

/// The files of a program that come from nowhere in the base.
fn new_files<'a>(
    program: &'a Program,
    followed: &BTreeMap<String, String>,
) -> BTreeMap<&'a str, &'a str> {
    let known: BTreeSet<&String> = followed.values().collect();
    let new = program.iter().filter(|(path, _)| !known.contains(path));
    new.map(|(path, text)| (path.as_str(), text.as_str()))
        .collect()
}
