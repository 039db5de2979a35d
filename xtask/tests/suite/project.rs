//! A small project: an index, a few phases, a git repository.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use xtask::bless;
use xtask::git::scratch;
use xtask::phases::Index;

/// A project in a temporary folder, which is removed at the end.
pub struct Project {
    folder: TempDir,
}

impl Project {
    /// Four phases whose deltas are blessed and committed. `01` has [`RELAY`]; each later phase
    /// adds a function of its own to it, and `03` adds a file.
    pub fn new() -> Self {
        let project = Self {
            folder: scratch().expect("a temporary folder"),
        };
        let mut relay = RELAY.to_owned();
        let mut index = String::new();
        for (number, name) in PHASES {
            let _ = write!(
                index,
                "[[phase]]\nnumber = \"{number}\"\nname = \"{name}\"\ntitle = \"A title\"\nadds = \"a line\"\n\n"
            );
            let folder = format!("phases/{number}-{name}");
            let package = format!("phase-{number}");
            project.write(
                &format!("{folder}/Cargo.toml"),
                &format!("[package]\nname = \"{package}\"\n"),
            );
            project.write(&format!("{folder}/README.md"), "# A title\n");
            project.write(
                &format!("{folder}/tests/behaviour.rs"),
                &format!("testkit::phase!(\"{package}\", env!(\"CARGO_BIN_EXE_{package}\"));\n"),
            );
            project.write(
                &format!("{folder}/src/main.rs"),
                &format!("fn main() {{\n    phase_{number}::run();\n}}\n"),
            );
            if number != "00" {
                if number != "01" {
                    let _ = write!(relay, "\nfn added_in_{number}() {{\n    call();\n}}\n");
                }
                project.write(&format!("{folder}/src/relay.rs"), &relay);
            }
            if number >= "03" {
                project.write(
                    &format!("{folder}/src/health.rs"),
                    "fn check() {\n    call();\n}\n",
                );
            }
        }
        project.write("phases/phases.toml", &index);
        project.write(
            "Cargo.toml",
            "[workspace]\nmembers = [\"phases/[0-9]*\", \"tool\"]\n",
        );
        project.bless();
        // Without the examples of hooks.
        project.git(&["init", "--quiet", "--template="]);
        project.commit();
        project
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a file of a phase, `("02", "src/relay.rs")`.
    pub fn path(&self, number: &str, file: &str) -> PathBuf {
        let (_, name) = PHASES
            .into_iter()
            .find(|(known, _)| *known == number)
            .expect("a known phase");
        self.root()
            .join(format!("phases/{number}-{name}"))
            .join(file)
    }

    /// The text of a file of a phase.
    pub fn read(&self, number: &str, file: &str) -> String {
        fs::read_to_string(self.path(number, file)).expect("a readable file")
    }

    /// Writes a file, named from the root.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a new folder");
        fs::write(path, text).expect("a written file");
    }

    /// Writes a file of a phase.
    pub fn write_in(&self, number: &str, file: &str, text: &str) {
        let path = self.path(number, file);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a new folder");
        fs::write(path, text).expect("a written file");
    }

    /// Replaces a text that must be there.
    pub fn edit(&self, number: &str, file: &str, from: &str, to: &str) {
        let text = self.read(number, file);
        assert!(
            text.contains(from),
            "{from:?} is not in {file} of {number}:\n{text}"
        );
        self.write_in(number, file, &text.replace(from, to));
    }

    /// Removes a file of a phase.
    pub fn remove(&self, number: &str, file: &str) {
        fs::remove_file(self.path(number, file)).expect("a removed file");
    }

    /// Rewrites all deltas.
    pub fn bless(&self) {
        let index = Index::load(self.root()).expect("an index");
        bless::bless(self.root(), &index, index.steps()).expect("blessed deltas");
    }

    /// The committed deltas, by file name.
    pub fn deltas(&self) -> BTreeMap<String, String> {
        files(&self.root().join("phases/deltas"))
    }

    /// Every file of a phase's folder, byte for byte.
    pub fn snapshot(&self, number: &str) -> BTreeMap<String, String> {
        files(&self.path(number, ""))
    }

    /// Commits everything.
    pub fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "A step"]);
    }

    fn git(&self, arguments: &[&str]) {
        let status = Command::new("git")
            .current_dir(self.root())
            .args([
                "-c",
                "user.name=A Reader",
                "-c",
                "user.email=reader@example.com",
            ])
            .args([
                "-c",
                "core.hooksPath=/dev/null",
                "-c",
                "commit.gpgSign=false",
            ])
            .args(arguments)
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .status();
        assert!(
            status.expect("git is installed").success(),
            "git {arguments:?}"
        );
    }
}

/// Relays in phase 01.
pub const RELAY: &str = "//! Copies.

const SIZE: usize = 8;

fn relay() {
    read();

    write();
}
";

const PHASES: [(&str, &str); 5] = [
    ("00", "backends"),
    ("01", "forwarder"),
    ("02", "balance"),
    ("03", "health"),
    ("04", "failover"),
];

fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            found.insert(format!("{name}/"), String::new());
            found.extend(
                files(&path)
                    .into_iter()
                    .map(|(inside, text)| (format!("{name}/{inside}"), text)),
            );
        } else {
            found.insert(name, fs::read_to_string(&path).expect("a text"));
        }
    }
    found
}
