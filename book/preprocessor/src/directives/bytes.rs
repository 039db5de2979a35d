//! `bytes`: a message byte by byte, from `book/bytes`.

use anyhow::{Result, bail};

use super::{Resolver, only};

impl Resolver<'_> {
    /// `proxy-v2`
    pub(super) fn bytes(&mut self, words: &[&str]) -> Result<String> {
        let name = only(words, "the name of a message")?;
        bail!("there is no message {name}")
    }
}
