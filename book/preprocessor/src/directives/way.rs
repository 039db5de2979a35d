//! `way`: the way of a connection, with the stations of the chapter lit.
//!
//! It is a list, not a drawing: it reads aloud as it stands, and breaks into lines on a phone.

use std::fmt::Write as _;

use anyhow::{Result, bail};

use super::Resolver;

impl Resolver<'_> {
    /// `choose connect`, or nothing for the whole way
    pub(super) fn way(&mut self, lit: &[&str]) -> Result<String> {
        if let Some(stranger) = lit
            .iter()
            .find(|lit| STATIONS.iter().all(|station| station.name != **lit))
        {
            let names: Vec<_> = STATIONS.iter().map(|station| station.name).collect();
            bail!("{stranger} is no station; the way is {}", names.join(", "));
        }
        let here = self.step.and_then(|step| step.phase.number.parse().ok());
        let is_there = |station: &Station| here.is_none_or(|here: u8| station.since <= here);

        let mut text = String::from("<figure class=\"way\">\n<ol>\n");
        for station in STATIONS {
            let class = match (lit.contains(&station.name), is_there(station)) {
                (true, _) => "lit",
                (false, true) => "there",
                (false, false) => "to-come",
            };
            let name = match class {
                "lit" => format!("<strong>{}</strong>", station.name),
                _ => station.name.to_owned(),
            };
            let _ = writeln!(
                text,
                "<li class=\"{class}\">{name} <span>{}</span></li>",
                station.does
            );
        }
        let mut caption = String::from("The way of a connection.");
        if !lit.is_empty() {
            let _ = write!(
                caption,
                " This chapter is about <strong>{}</strong>.",
                lit.join("</strong> and <strong>")
            );
        }
        let to_come = STATIONS
            .iter()
            .filter(|station| !is_there(station) && !lit.contains(&station.name));
        let to_come: Vec<_> = to_come.map(|station| station.name).collect();
        if !to_come.is_empty() {
            let _ = write!(
                caption,
                " Dashed, because they come later: {}.",
                to_come.join(", ")
            );
        }
        let _ = writeln!(text, "</ol>\n<figcaption>{caption}</figcaption>\n</figure>");
        Ok(text)
    }
}

/// One station of the way.
struct Station {
    name: &'static str,
    does: &'static str,
    /// The phase that builds it.
    since: u8,
}

const STATIONS: &[Station] = &[
    Station {
        name: "accept",
        does: "takes the client in",
        since: 1,
    },
    Station {
        name: "admit",
        does: "may it come in?",
        since: 6,
    },
    Station {
        name: "fault",
        does: "breaks it on purpose",
        since: 9,
    },
    Station {
        name: "identify",
        does: "where does it want to go?",
        since: 10,
    },
    Station {
        name: "choose",
        does: "which backend?",
        since: 2,
    },
    Station {
        name: "connect",
        does: "dials the backend",
        since: 1,
    },
    Station {
        name: "announce",
        does: "tells who is calling",
        since: 7,
    },
    Station {
        name: "relay",
        does: "passes bytes on",
        since: 1,
    },
    Station {
        name: "account",
        does: "counts and logs",
        since: 8,
    },
];
