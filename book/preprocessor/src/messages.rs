//! Messages that the book shows byte by byte, from `book/bytes`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// A message, as it was made by the program that the book is about.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// What it is, in a sentence.
    pub about: String,
    /// Who makes it; the recorder knows how.
    pub source: String,
    /// Its bytes.
    pub hex: String,
    /// What the bytes mean, from the first to the last.
    #[serde(default, rename = "field")]
    pub fields: Vec<Field>,
}

/// Some bytes that belong together.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// How many there are.
    pub bytes: usize,
    /// What they are called.
    pub name: String,
    /// What they say.
    pub says: String,
}

/// The file of a message below `root`.
pub fn file(root: &Path, name: &str) -> PathBuf {
    root.join("book/bytes").join(format!("{name}.toml"))
}

/// The names of all messages below `root`.
pub fn names(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("book/bytes");
    let mut names = Vec::new();
    if folder.is_dir() {
        for entry in fs::read_dir(&folder).context("cannot read book/bytes")? {
            let path = entry.context("cannot read book/bytes")?.path();
            let name = path.file_stem().unwrap_or_default();
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Reads a message below `root`.
pub fn read(root: &Path, name: &str) -> Result<Message> {
    let file = file(root, name);
    let text =
        fs::read_to_string(&file).with_context(|| format!("there is no book/bytes/{name}.toml"))?;
    toml::from_str(&text).with_context(|| format!("cannot understand book/bytes/{name}.toml"))
}

impl Message {
    /// The bytes, cut into the fields.
    pub fn cut(&self) -> Result<Vec<(&Field, Vec<u8>)>> {
        let bytes = bytes(&self.hex)?;
        ensure!(
            !bytes.is_empty(),
            "it is not recorded yet: run `cargo xtask book bless`"
        );
        let mut rest = &bytes[..];
        let mut cut = Vec::new();
        for field in &self.fields {
            let split = rest.split_at_checked(field.bytes);
            let (these, others) = split
                .with_context(|| format!("the message ends inside the field {}", field.name))?;
            cut.push((field, these.to_vec()));
            rest = others;
        }
        ensure!(
            rest.is_empty(),
            "the last {} bytes are in no field",
            rest.len()
        );
        Ok(cut)
    }
}

/// Bytes as `0d 0a`.
pub fn hex(bytes: &[u8]) -> String {
    let bytes = bytes.iter().map(|byte| format!("{byte:02x}"));
    bytes.collect::<Vec<_>>().join(" ")
}

fn bytes(hex: &str) -> Result<Vec<u8>> {
    let bytes = hex
        .split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16));
    bytes
        .collect::<Result<_, _>>()
        .context("the bytes are not written as `0d 0a`")
}
