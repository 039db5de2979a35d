//! `bytes`: a message byte by byte, from `book/bytes`.

use anyhow::Result;

use super::{Resolver, only};
use crate::{messages, render};

impl Resolver<'_> {
    /// `proxy-v2`
    pub(super) fn bytes(&mut self, words: &[&str]) -> Result<String> {
        let name = only(words, "the name of a file in book/bytes")?;
        let message = messages::read(&self.project.root, name)?;
        let fields = message.cut()?;
        let mut at = 0;
        let mut rows = Vec::new();
        for (field, bytes) in &fields {
            rows.push(vec![
                at.to_string(),
                format!("`{}`", shortened(bytes)),
                as_text(bytes),
                field.name.clone(),
                field.says.clone(),
            ]);
            at += bytes.len();
        }
        Ok(format!(
            "<figure class=\"bytes\">\n<figcaption>{} {at} bytes.</figcaption>\n\n{}\n</figure>\n",
            render::escape(&message.about),
            render::table(&["at", "bytes", "as text", "field", "what it says"], &rows)
        ))
    }
}

/// Long runs are known by their ends.
fn shortened(bytes: &[u8]) -> String {
    match bytes.len() {
        0..=16 => messages::hex(bytes),
        length => format!(
            "{} … {}",
            messages::hex(&bytes[..4]),
            messages::hex(&bytes[length - 2..])
        ),
    }
}

/// What a human can read; nothing if the bytes are no text, or
/// so few that it may be chance.
fn as_text(bytes: &[u8]) -> String {
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~' | b'\r' | b'\n');
    if bytes.len() < 2 || !bytes.iter().all(is_text) {
        return String::new();
    }
    let text = String::from_utf8_lossy(bytes);
    format!("`{}`", text.replace('\r', "\\r").replace('\n', "\\n"))
}
