//! Compares the messages that the book shows byte by byte with what makes them, and records them.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use book_preprocessor::messages;
use phase_07::announce::header::{ProxyProtocol, encode};
use toml_edit::DocumentMut;

/// The messages that are no longer made like this.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    for name in messages::names(root)? {
        let message = messages::read(root, &name)?;
        if message.hex != made_by(&message.source)? {
            failures.push(format!("book/bytes/{name}.toml: the bytes are others now: `cargo xtask book bless` records them anew"));
        }
    }
    Ok(failures)
}

/// Records the messages that are made otherwise now; returns their names.
pub fn bless(root: &Path) -> Result<Vec<String>> {
    let mut blessed = Vec::new();
    for name in messages::names(root)? {
        let message = messages::read(root, &name)?;
        let hex = made_by(&message.source)?;
        if message.hex != hex {
            let file = messages::file(root, &name);
            let mut document: DocumentMut = fs::read_to_string(&file)?.parse()?;
            document["hex"] = toml_edit::value(hex);
            fs::write(&file, document.to_string())?;
            blessed.push(format!("book/bytes/{name}.toml"));
        }
    }
    Ok(blessed)
}

fn made_by(source: &str) -> Result<String> {
    let proxy_header = |form| -> Result<Vec<u8>> {
        // Addresses for documentation (RFC 5737), as in the phase's own tests.
        let source = "203.0.113.7:5555".parse().context("a valid address")?;
        let destination = "192.0.2.9:443".parse().context("a valid address")?;
        Ok(encode(form, source, destination))
    };
    let bytes = match source {
        "proxy-v1" => proxy_header(ProxyProtocol::V1)?,
        "proxy-v2" => proxy_header(ProxyProtocol::V2)?,
        "client-hello" => testkit::hello::hello("a.example.com"),
        _ => bail!("nobody makes the message {source}"),
    };
    Ok(messages::hex(&bytes))
}
