//! The names that a route is for.

use std::str::FromStr;

/// The names that a route is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// This one.
    Exactly(String),

    /// `*.` and this: any depth below, but not the name itself.
    Below(String),
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        let (name, wildcard) = match name.strip_prefix("*.") {
            Some(parent) => (parent.to_owned(), true),
            None => (name, false),
        };

        let is_label = |label: &str| {
            !label.is_empty()
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        if !name.split('.').all(is_label) {
            return Err(format!(
                "{text:?} is not a server name; write a.example.com or *.example.com"
            ));
        }

        Ok(if wildcard {
            Self::Below(name)
        } else {
            Self::Exactly(name)
        })
    }
}
