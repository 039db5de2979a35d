//! Values inside a sentence: `default`, `lines` and `const`.

use std::sync::LazyLock;

use anyhow::{Context, Result, bail, ensure};
use regex::{Captures, Regex};

use super::Resolver;
use crate::items;
use crate::settings;

impl Resolver<'_> {
    /// A line of text with the values in it replaced.
    pub(super) fn inline(&mut self, line: usize, text: &str) -> String {
        if !text.contains("{{#") {
            return text.to_owned();
        }
        let replaced = INLINE.replace_all(text, |found: &Captures<'_>| {
            let [name, arguments] = found.extract().1;
            if found[0].starts_with('\\') {
                return found[0][1..].to_owned();
            }
            let value = match name {
                "default" | "lines" | "const" => self.inline_value(name, arguments.trim()),
                _ => Err(anyhow::anyhow!(
                    "only default, lines and const may stand inside a line"
                )),
            };
            self.or_failure(line, name, arguments.trim(), value)
        });
        replaced.into_owned()
    }

    pub(super) fn inline_value(&mut self, name: &str, arguments: &str) -> Result<String> {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        match (name, words.as_slice()) {
            ("default", [number, flag, expected @ ..]) => {
                let step = self.project.step(number)?;
                let flags = settings::flags(step);
                let found = flags
                    .iter()
                    .find(|found| found.name == flag.trim_start_matches('-'));
                let found = found.with_context(|| {
                    let names: Vec<_> = flags.iter().map(|flag| flag.name.as_str()).collect();
                    format!(
                        "phase {number} has no such flag; it has {}",
                        names.join(", ")
                    )
                })?;
                let value = found.default.as_ref().context("the flag has no default")?;
                expect(value, expected)
            }
            ("lines", [number]) => {
                let step = self.project.step(number)?;
                let changes = step
                    .changes
                    .iter()
                    .filter(|change| !change.path.ends_with("tests.rs"));
                let lines: usize = changes.map(|change| change.telling().count()).sum();
                Ok(lines.to_string())
            }
            ("lines", [number, path]) => {
                let text = self.project.step(number)?.file(path)?;
                Ok(text.lines().count().to_string())
            }
            ("const", [number, path, constant, expected @ ..]) => {
                let step = self.project.step(number)?;
                let source = step.file(path)?;
                let named = items::items(source).context("the file is not understood")?;
                let wanted = [format!("const {constant}"), (*constant).to_owned()];
                let found = named.iter().find(|named| wanted.contains(&named.name));
                let found = found.with_context(|| format!("{path} has no such constant"))?;
                let lines = source.lines().skip(found.lines.start() - 1);
                let text: Vec<_> = lines
                    .take(found.lines.clone().count())
                    .map(str::trim)
                    .collect();
                let text = text.join(" ");
                let value = text
                    .split_once(" = ")
                    .context("the constant has no value")?
                    .1;
                expect(value.trim_end_matches(';'), expected)
            }
            _ => bail!(
                "write default NN FLAG [VALUE], lines NN [FILE] or const NN FILE NAME [VALUE]"
            ),
        }
    }
}

/// The value, if the text that rests on it has the right one.
fn expect(value: &str, expected: &[&str]) -> Result<String> {
    let expected = expected.join(" ");
    ensure!(
        expected.is_empty() || expected == value,
        "the text says {expected}, the program has {value}"
    );
    Ok(format!("`{value}`"))
}

static INLINE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\\?\{\{#([\w-]+)([^{}]*)\}\}").expect("a valid pattern"));
