//! What differs from run to run, as the book prints it.

use std::sync::LazyLock;

use book_preprocessor::runs::PRINTED;
use regex::Regex;

/// The addresses that were met, in their order.
#[derive(Debug, Default)]
pub struct Words {
    known: Vec<(String, String)>,
    strangers: Vec<String>,
}

impl Words {
    /// From now on `address` is printed as the one that the book calls `name`.
    pub fn know(&mut self, name: &str, address: &str) {
        self.known.push((name.to_owned(), address.to_owned()));
    }

    /// The address of this name.
    pub fn address(&self, name: &str) -> Option<&str> {
        let known = self.known.iter().find(|(known, _)| known == name);
        known.map(|(_, address)| address.as_str())
    }

    /// A text with the book's addresses. The clients' own ports get numbers in the order in which
    /// they appear, so that the same port is still seen to be the same.
    pub fn printed(&mut self, text: &str) -> String {
        let printed = ADDRESS.replace_all(text, |found: &regex::Captures<'_>| {
            let address = &found[0];
            let known = self.known.iter().find(|(_, known)| known == address);
            if let Some((name, _)) = known {
                let printed = PRINTED.iter().find(|(printed, _)| printed == name);
                return printed.map_or(address, |(_, printed)| printed).to_owned();
            }
            let place = self.strangers.iter().position(|known| known == address);
            let place = place.unwrap_or_else(|| {
                self.strangers.push(address.to_owned());
                self.strangers.len() - 1
            });
            format!("{}:{}", &found[1], 50_001 + place)
        });
        let printed = PORT.replace_all(&printed, |found: &regex::Captures<'_>| {
            self.port(&found[0]).unwrap_or_else(|| found[0].to_owned())
        });
        TIMESTAMP
            .replace_all(&printed, "\"timestamp\":\"2026-01-01T12:00:00.000000Z\"")
            .into_owned()
    }

    /// A port that stands alone, as in `port 41234`, if it belongs to an address that was met.
    fn port(&self, port: &str) -> Option<String> {
        let is_its = |address: &str| address.rsplit(':').next() == Some(port);
        if let Some((name, _)) = self.known.iter().find(|(_, address)| is_its(address)) {
            let (_, printed) = PRINTED.iter().find(|(printed, _)| printed == name)?;
            return Some(printed.rsplit(':').next()?.to_owned());
        }
        let place = self.strangers.iter().position(|address| is_its(address))?;
        Some((50_001 + place).to_string())
    }
}

/// A line of a log without the time in front.
pub fn without_time(line: &str) -> String {
    TIME.replace(line, "").into_owned()
}

// Ports that nobody chooses by hand.
static ADDRESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b(127\.\d+\.\d+\.\d+):(\d{5})\b").expect("a valid pattern"));

static PORT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b\d{5}\b").expect("a valid pattern"));

static TIMESTAMP: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""timestamp":"[^"]*""#).expect("a valid pattern"));

static TIME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\d{4}-\d\d-\d\dT[\d:.]+Z\s+").expect("a valid pattern"));
