//! A phase's program: its `Cargo.toml` and everything below `src/`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::phases::Phase;

/// The files of a program by their path inside the phase's folder, sorted.
pub type Program = BTreeMap<String, String>;

/// Reads the program of `phase` below `root`.
pub fn read(root: &Path, phase: &Phase) -> Result<Program> {
    let folder = root.join(phase.folder());
    let mut program = Program::new();
    read_file(&folder, "Cargo.toml", &mut program)
        .with_context(|| format!("phase {} has no program", phase.number))?;
    if folder.join("src").is_dir() {
        read_folder(&folder, "src", &mut program)?;
    }
    Ok(program)
}

/// Reads the program of `phase` with its own name left open, so that two phases can be compared.
pub fn read_nameless(root: &Path, phase: &Phase) -> Result<Program> {
    Ok(translate(&read(root, phase)?, &names(phase), &open_names()))
}

/// Makes the program of `phase` below `root` equal to `wanted`; returns the paths that changed.
pub fn write(root: &Path, phase: &Phase, wanted: &Program) -> Result<Vec<String>> {
    let folder = root.join(phase.folder());
    let found = read(root, phase)?;
    let mut changed = Vec::new();
    for (path, text) in wanted
        .iter()
        .filter(|(path, text)| found.get(*path) != Some(text))
    {
        let file = folder.join(path);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)
                .with_context(|| format!("cannot create {}", parent.display()))?;
        }
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        changed.push(path.clone());
    }
    for path in found.keys().filter(|path| !wanted.contains_key(*path)) {
        let file = folder.join(path);
        fs::remove_file(&file).with_context(|| format!("cannot remove {}", file.display()))?;
        remove_empty_folders(&folder, &file);
        changed.push(path.clone());
    }
    changed.sort();
    Ok(changed)
}

/// The key of a file that a user named as `src/relay.rs` or as `relay.rs`.
pub fn find_file(program: &Program, named: &str) -> Option<String> {
    [named.to_owned(), format!("src/{named}")]
        .into_iter()
        .find(|path| program.contains_key(path))
}

/// What a phase calls itself. Its own name is no difference to its neighbours.
pub type Names = [String; 3];

/// The names of `phase`: of its package, its library and its folder.
pub fn names(phase: &Phase) -> Names {
    let number = &phase.number;
    [
        format!("phase-{number}"),
        format!("phase_{number}"),
        format!("{number}-{}", phase.name),
    ]
}

/// The program of one phase, as it would be written in another.
pub fn translate(program: &Program, from: &Names, to: &Names) -> Program {
    let translate_text = |text: &String| {
        from.iter().zip(to).fold(text.clone(), |text, (from, to)| {
            replace_word(&text, from, to)
        })
    };
    program
        .iter()
        .map(|(path, text)| (path.clone(), translate_text(text)))
        .collect()
}

/// The names in a delta, where they stay open.
fn open_names() -> Names {
    ["phase-NN", "phase_NN", "NN-name"].map(str::to_owned)
}

/// Replaces `from` where it is no part of a longer word, as `phase-07` is in `phase-071`.
fn replace_word(text: &str, from: &str, to: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(from) {
        let (before, after) = (&rest[..start], &rest[start + from.len()..]);
        let starts_word = !before.ends_with(char::is_alphanumeric);
        let ends_word = !after.starts_with(char::is_alphanumeric);
        replaced.push_str(before);
        replaced.push_str(if starts_word && ends_word { to } else { from });
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}

fn read_folder(folder: &Path, inside: &str, program: &mut Program) -> Result<()> {
    let path = folder.join(inside);
    for entry in fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))? {
        let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
        let Ok(name) = entry.file_name().into_string() else {
            bail!(
                "the name of {} is not UTF-8: rename the file",
                entry.path().display()
            );
        };
        // Hidden files belong to editors and file managers.
        if name.starts_with('.') {
            continue;
        }
        let inside = format!("{inside}/{name}");
        if entry.path().is_dir() {
            read_folder(folder, &inside, program)?;
        } else {
            read_file(folder, &inside, program)?;
        }
    }
    Ok(())
}

fn read_file(folder: &Path, inside: &str, program: &mut Program) -> Result<()> {
    let path = folder.join(inside);
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let Ok(text) = String::from_utf8(bytes) else {
        bail!(
            "{} is not text, so no delta can show it and no merge can carry it: move it out of src/, \
             for instance to tests/",
            path.display()
        );
    };
    program.insert(inside.to_owned(), text);
    Ok(())
}

/// Git does not know empty folders, so none is left where a file was removed.
fn remove_empty_folders(folder: &Path, file: &Path) {
    let parents = file
        .ancestors()
        .skip(1)
        .take_while(|parent| *parent != folder);
    for parent in parents {
        if fs::remove_dir(parent).is_err() {
            break;
        }
    }
}
