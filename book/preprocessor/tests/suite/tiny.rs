//! A project with two phases and a book, in a temporary folder.

use std::fs;

use book_preprocessor::{Page, Project, Resolved, resolve};
use tempfile::TempDir;
use xtask::bless::bless;
use xtask::phases::Index;

/// The project. Files are written over those that it begins with.
pub struct Tiny {
    root: TempDir,
    pages: Vec<Page>,
}

impl Tiny {
    /// Two phases whose chapters hold everything they must.
    pub fn new() -> Self {
        let tiny = Self {
            root: TempDir::new().expect("a folder"),
            pages: Vec::new(),
        };
        tiny.write("phases/phases.toml", INDEX);
        for (folder, files) in [("01-one", ONE), ("02-two", TWO)] {
            let manifest = format!("[package]\nname = \"phase-{}\"\n", &folder[..2]);
            tiny.write(&format!("phases/{folder}/Cargo.toml"), &manifest);
            for (path, text) in files {
                tiny.write(&format!("phases/{folder}/src/{path}"), text);
            }
        }
        tiny.write("book/runs/02-two.toml", RUNS);
        tiny.write("book/figures/two.svg", FIGURE);
        tiny.write("book/bytes/greeting.toml", BYTES);
        tiny.bless();
        let mut tiny = tiny.page("02-two.md", &chapter("{{#rest 02}}"));
        tiny.pages.push(Page {
            path: "answers.md".to_owned(),
            text: ANSWERS.to_owned(),
        });
        tiny
    }

    /// Writes a file of the project.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Replaces something in a file of the project.
    pub fn edit(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.root.path().join(path)).expect("a file");
        assert!(text.contains(from), "{path} has no {from}");
        self.write(path, &text.replace(from, to));
    }

    /// Brings the deltas up to date.
    pub fn bless(&self) {
        let index = Index::load(self.root.path()).expect("an index");
        bless(self.root.path(), &index, index.steps()).expect("deltas");
    }

    /// The project with another text of a page.
    pub fn page(mut self, path: &str, text: &str) -> Self {
        self.pages.retain(|page| page.path != path);
        self.pages.push(Page {
            path: path.to_owned(),
            text: text.to_owned(),
        });
        self
    }

    /// Resolves the book.
    pub fn resolve(&self) -> Resolved {
        let project = Project::load(self.root.path()).expect("a project");
        resolve(&project, &self.pages)
    }

    /// What does not hold, as it is printed.
    pub fn failures(&self) -> Vec<String> {
        let resolved = self.resolve();
        resolved.failures.iter().map(ToString::to_string).collect()
    }

    /// What a page of this text becomes; nothing may fail.
    pub fn resolved(self, text: &str) -> String {
        let resolved = self.page("page.md", text).resolve();
        assert_eq!(resolved.failures, []);
        resolved.pages.last().expect("the page").text.clone()
    }

    /// The one failure of a page of this text.
    pub fn failure(self, text: &str) -> String {
        let failures = self.page("page.md", text).failures();
        assert_eq!(failures.len(), 1, "{failures:#?}");
        failures[0].clone()
    }
}

/// A whole chapter about phase 02, with this in the section about the change.
pub fn chapter(change: &str) -> String {
    CHAPTER.replace("CHANGE", change)
}

const INDEX: &str = r#"
[[phase]]
number = "01"
name = "one"
title = "One"
adds = "something"

[[phase.flaw]]
id = "deaf"
symptom = "nobody is heard"

[[phase]]
number = "02"
name = "two"
title = "Two"
adds = "something else"
cures = ["deaf"]
"#;

const ONE: &[(&str, &str)] = &[
    ("lib.rs", "//! A library.\n\npub mod ear;\n"),
    (
        "ear.rs",
        "//! An ear.\n\nuse std::io;\n\n/// Hears.\npub fn hear() -> io::Result<()> {\n    Ok(())\n}\n\nfn deaf() {}\n",
    ),
    (
        "config.rs",
        "//! The command line.\n\npub struct Config {}\n",
    ),
];

const TWO: &[(&str, &str)] = &[
    ("lib.rs", "//! A library.\n\npub mod ear;\npub mod mouth;\n"),
    (
        "ear.rs",
        "//! An ear.\n\nuse std::io;\n\n/// Hears, and counts.\npub fn hear(count: &mut u32) -> io::Result<()> {\n    *count += 1;\n    Ok(())\n}\n\nfn awake() {}\n",
    ),
    (
        "config.rs",
        r#"//! The command line.

pub struct Config {
    /// How long it speaks; in vain*
    #[arg(long, value_name = "TIME", default_value = DEFAULT_LENGTH, value_parser = duration)]
    pub length: Duration,

    /// How loud
    #[arg(long, default_value_t = DEFAULT_LOUDNESS)]
    pub loud_ness: NonZeroU32,
}

const DEFAULT_LENGTH: &str = "3s";

const DEFAULT_LOUDNESS: NonZeroU32 = NonZeroU32::new(7).unwrap();
"#,
    ),
    (
        "mouth.rs",
        r#"//! A mouth. It speaks.

/// Speaks.
pub struct Mouth;

impl Mouth {
    /// Says it, as phase_02.
    pub fn say(&self) {
        counters!("tcpproxy_words_total", "Words said", &["language"], r);
    }
}

// How often at most.
const TIMES: u32 = 3;
"#,
    ),
    (
        "account/cause.rs",
        "//! Causes.\n\nimpl Cause {\n    pub const ALL: [&'static str; 2] = [\"--\", \"sC\"];\n}\n",
    ),
];

const RUNS: &str = r#"
[[run]]
name = "hello"
about = "Somebody says hello."
phase = "02"
start = ["--backend", "{backend1}", "--name", "*.example.com"]
output = "listening on 127.0.0.1:8000"

[[run.step]]
command = "curl http://{listen} # {port}"
output = "hello"

[[run.step]]
log = "gone"
output = "INFO gone"

[[run]]
name = "never"
about = "Nobody has recorded this."
"#;

const FIGURE: &str = "<svg viewBox=\"0 0 9 9\">\n<title>Two</title>\n\n<desc>Two\nlines</desc>\n<path id=\"a\" class=\"line\" marker-end=\"url(#arrow)\"/>\n</svg>\n";

const BYTES: &str = r#"
about = "A greeting."
source = "nobody"
hex = "68 69 0a"
[[field]]
bytes = 2
name = "word"
says = "hi"
[[field]]
bytes = 1
name = "end"
says = "a newline"
"#;

const ANSWERS: &str = "# Answers\n\n### One {#02-1}\n\n### Two {#02-2}\n\n### Three {#02-3}\n";

const CHAPTER: &str = "# Two

## Where we are
## What is wrong now

{{#flaw deaf}}

## Predict
## Before and after
## The change

CHANGE

## Run it

`--length` and `--loud-ness` and `tcpproxy_words_total`.

## What the tests now say
## What still breaks
## How the real ones do it
## Exercises

### * One

<details><summary>Hint</summary>\n\nLook.\n\n</details>

[Answer](answers.md#02-1)

### ** Two

<details><summary>Hint</summary>\n\nLook.\n\n</details>

[Answer](answers.md#02-2)

### *** Three

<details><summary>Hint</summary>\n\nLook.\n\n</details>

[Answer](answers.md#02-3)

## Check your own
";
