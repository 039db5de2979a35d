//! The few things that git does for us: an earlier state of the phases, three-way merges, renamed
//! files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::program::Program;

/// The commit that `revision` names.
pub fn commit(root: &Path, revision: &str) -> Result<String> {
    let name = format!("{revision}^{{commit}}");
    let output = succeed(git(root, &["rev-parse", "--verify", "--quiet", &name])?)
        .with_context(|| format!("{revision} is no commit here"))?;
    Ok(output.trim().to_owned())
}

/// Writes `phases/` as it was at `commit` into a temporary folder, so that the past is read by the
/// same code as the present.
pub fn phases_at(root: &Path, commit: &str) -> Result<TempDir> {
    let folder = scratch()?;
    let index = folder.path().join("index");
    let prefix = format!("--prefix={}/phases/", folder.path().display());
    // `./` is the project's root, which need not be the root of the repository.
    let tree = format!("{commit}:./phases");
    for arguments in [
        ["read-tree", &tree].as_slice(),
        &["checkout-index", "--all", &prefix],
    ] {
        let output = command(root, arguments)
            .env("GIT_INDEX_FILE", &index)
            .output()
            .context("cannot run git")?;
        succeed(output).with_context(|| format!("cannot read phases/ at {commit}"))?;
    }
    Ok(folder)
}

/// A place for `name` inside the repository's own folder, where no commit picks it up.
pub fn private_file(root: &Path, name: &str) -> Result<PathBuf> {
    let path = succeed(git(root, &["rev-parse", "--git-path", name])?).context(
        "this needs the project's git repository: an edit is what differs from the last commit",
    )?;
    Ok(root.join(path.trim()))
}

/// Merges one file. `labels` name ours, base and theirs in the markers of a conflict; the answer
/// says whether there is one.
pub fn merge_file(ours: &str, base: &str, theirs: &str, labels: [&str; 3]) -> Result<String> {
    let folder = scratch()?;
    for (name, text) in [("ours", ours), ("base", base), ("theirs", theirs)] {
        fs::write(folder.path().join(name), text).context("cannot write a temporary file")?;
    }
    let [ours, base, theirs] = labels;
    let labelled = [
        "-L", ours, "-L", base, "-L", theirs, "ours", "base", "theirs",
    ];
    let output = git(
        folder.path(),
        &[["merge-file", "-p", "--diff3"].as_slice(), &labelled].concat(),
    )?;
    // The exit code counts the conflicts up to 127; from 128 on it is an error.
    match output.status.code() {
        Some(0..=127) => String::from_utf8(output.stdout)
            .context("git merge-file answered with something not text"),
        _ => bail!(
            "git merge-file failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ),
    }
}

/// Files of `old` that have another path in `new`, as pairs of paths.
pub fn renames(old: &Program, new: &Program) -> Result<Vec<(String, String)>> {
    let gone = old.iter().filter(|(path, _)| !new.contains_key(*path));
    let come = new.iter().filter(|(path, _)| !old.contains_key(*path));
    let folder = scratch()?;
    for (side, files) in [("old", gone.collect::<Vec<_>>()), ("new", come.collect())] {
        if files.is_empty() {
            return Ok(Vec::new());
        }
        for (path, text) in files {
            let file = folder.path().join(side).join(path);
            fs::create_dir_all(file.parent().unwrap_or(&file))
                .context("cannot create a temporary folder")?;
            fs::write(file, text).context("cannot write a temporary file")?;
        }
    }
    let output = git(
        folder.path(),
        &[
            "diff",
            "--no-index",
            "--no-ext-diff",
            "-M",
            "--diff-filter=R",
            "--name-status",
            "-z",
            "old",
            "new",
        ],
    )?;
    // 1 means that there are differences.
    if !matches!(output.status.code(), Some(0 | 1)) {
        bail!(
            "git diff failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let listed =
        String::from_utf8(output.stdout).context("git diff answered with something not text")?;
    let fields: Vec<&str> = listed.split_terminator('\0').collect();
    let inside = |path: &str, side: &str| path.strip_prefix(side).unwrap_or(path).to_owned();
    Ok(fields
        .chunks_exact(3)
        .map(|pair| (inside(pair[1], "old/"), inside(pair[2], "new/")))
        .collect())
}

/// A temporary folder in memory, where the system has such: a file system that has just removed
/// thousands of files takes its time to create the next one (ext4 looks at each of them).
pub fn scratch() -> Result<TempDir> {
    TempDir::new_in("/dev/shm")
        .or_else(|_| TempDir::new())
        .context("cannot create a temporary folder")
}

fn git(folder: &Path, arguments: &[&str]) -> Result<Output> {
    command(folder, arguments)
        .output()
        .context("cannot run git: is it installed?")
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("git");
    command.current_dir(folder).args(arguments);
    // A hook sets these for the repository it belongs to; here the folder says which one is meant.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(variable);
    }
    command
}

fn succeed(output: Output) -> Result<String> {
    if !output.status.success() {
        bail!(
            "git failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    String::from_utf8(output.stdout).context("git answered with something not text")
}
