//! `flaw`, `flags`, `metrics` and `causes`: what can be read off the phases.

use anyhow::{Context, Result, bail};
use syn::{Expr, ImplItem, Item, Lit};

use super::{Resolver, only};
use crate::project::Step;
use crate::{metrics, render, settings};

impl Resolver<'_> {
    /// `peek-wait`
    pub(super) fn flaw(&mut self, words: &[&str]) -> Result<String> {
        let id = only(words, "the id of a flaw")?;
        let index = &self.project.index;
        let born = index.phases.iter().find_map(|phase| {
            let flaw = phase.flaws.iter().find(|flaw| flaw.id == id)?;
            Some((phase, flaw))
        });
        let Some((born, flaw)) = born else {
            let known = index.phases.iter().flat_map(|phase| &phase.flaws);
            let known: Vec<_> = known.map(|flaw| flaw.id.as_str()).collect();
            bail!(
                "phases/phases.toml has no such flaw; it has {}",
                known.join(", ")
            );
        };
        let cured = index.cured_in(flaw);
        let cured: Vec<_> = cured
            .iter()
            .map(|phase| self.chapter_link(&phase.number))
            .collect();
        let cured = match cured.as_slice() {
            [] => "not cured in this book".to_owned(),
            links => format!("cured in {}", links.join(" and ")),
        };
        self.flaws.insert(id.to_owned());
        Ok(format!(
            "> **Flaw `{id}`**: {}. Born in {}, {cured}.\n",
            flaw.symptom,
            self.chapter_link(&born.number)
        ))
    }

    /// `06`, or nothing for all flags
    pub(super) fn flags(&mut self, words: &[&str]) -> Result<String> {
        let step = self.step_or_last(words)?;
        let one = !words.is_empty();
        let flags = match one {
            true => settings::new_flags(step, self.before(step)),
            false => settings::flags(step),
        };
        if flags.is_empty() {
            bail!("phase {} adds no flag", step.phase.number);
        }
        let rows = flags.iter().map(|flag| {
            let value = flag
                .value
                .as_ref()
                .map_or(String::new(), |value| format!(" {value}"));
            let default = flag
                .default
                .as_ref()
                .map_or("–".to_owned(), |value| format!("`{value}`"));
            let mut row = vec![
                format!("`--{}{value}`", flag.name),
                default,
                escaped(&flag.help),
            ];
            if !one {
                let since =
                    self.since(|step| settings::flags(step).iter().any(|f| f.name == flag.name));
                row.insert(0, since);
            }
            row
        });
        let rows: Vec<_> = rows.collect();
        Ok(match one {
            true => render::table(&["flag", "default", "what it does"], &rows),
            false => render::table(&["since", "flag", "default", "what it does"], &rows),
        })
    }

    /// `08`, or nothing for all metrics
    pub(super) fn metrics(&mut self, words: &[&str]) -> Result<String> {
        let step = self.step_or_last(words)?;
        let one = !words.is_empty();
        let metrics = match one {
            true => metrics::new_metrics(step, self.before(step)),
            false => metrics::metrics(step),
        };
        if metrics.is_empty() {
            bail!("phase {} adds no metric", step.phase.number);
        }
        let rows = metrics.iter().map(|metric| {
            let labels: Vec<_> = metric
                .labels
                .iter()
                .map(|label| format!("`{label}`"))
                .collect();
            let mut row = vec![
                format!("`{}`", metric.name),
                metric.kind.to_owned(),
                labels.join(", "),
                escaped(&metric.help),
            ];
            if !one {
                let since =
                    self.since(|step| metrics::metrics(step).iter().any(|m| m.name == metric.name));
                row.insert(0, since);
            }
            row
        });
        let rows: Vec<_> = rows.collect();
        Ok(match one {
            true => render::table(&["metric", "kind", "labels", "what it says"], &rows),
            false => render::table(
                &["since", "metric", "kind", "labels", "what it says"],
                &rows,
            ),
        })
    }

    /// `08`, or nothing for the last phase
    pub(super) fn causes(&mut self, words: &[&str]) -> Result<String> {
        let step = self.step_or_last(words)?;
        let file = syn::parse_file(step.file("src/account/cause.rs")?)
            .context("src/account/cause.rs is not understood")?;
        let all = file.items.iter().find_map(|item| match item {
            Item::Impl(item) => item.items.iter().find_map(|member| match member {
                ImplItem::Const(member) if member.ident == "ALL" => Some(&member.expr),
                _ => None,
            }),
            _ => None,
        });
        let Some(Expr::Array(all)) = all else {
            bail!("src/account/cause.rs has no array `Cause::ALL`");
        };
        let mut rows = Vec::new();
        for cause in &all.elems {
            let Expr::Lit(literal) = cause else { continue };
            let Lit::Str(letters) = &literal.lit else {
                continue;
            };
            let letters = letters.value();
            let mut signs = letters.chars();
            let (who, station) = (signs.next(), signs.next());
            let who = meaning(WHO, who)
                .with_context(|| format!("who is the first letter of {letters}?"))?;
            let station = meaning(STATION, station)
                .with_context(|| format!("what station is the second letter of {letters}?"))?;
            rows.push(vec![
                format!("`{letters}`"),
                who.to_owned(),
                station.to_owned(),
            ]);
        }
        Ok(render::table(
            &["cause", "who ended it", "at which station"],
            &rows,
        ))
    }

    fn before(&self, step: &Step) -> Option<&Step> {
        let previous = self.project.index.previous(&step.phase)?;
        self.project.step(&previous.number).ok()
    }

    /// The first phase that has something, linked.
    fn since(&self, has: impl Fn(&Step) -> bool) -> String {
        let first = self.project.steps().find(|step| has(step));
        first.map_or(String::new(), |step| {
            let link = self.chapter_link(&step.phase.number);
            link.replace("chapter ", "").replace("phase ", "")
        })
    }
}

/// The letters of `cause.rs`, in words. A letter that is new there fails the build here.
const WHO: &[(char, &str)] = &[
    ('-', "nobody, all went well"),
    ('C', "the client"),
    ('c', "the client, by its silence"),
    ('S', "the backend"),
    ('s', "the backend, by its silence"),
    ('P', "the proxy, by a limit"),
    ('K', "killed from outside"),
    ('I', "an internal error"),
];

const STATION: &[(char, &str)] = &[
    ('-', "done"),
    ('A', "admit"),
    ('I', "identify"),
    ('F', "fault"),
    ('C', "choose and connect"),
    ('N', "announce"),
    ('D', "data: relay"),
];

fn meaning(letters: &[(char, &'static str)], letter: Option<char>) -> Option<&'static str> {
    let found = letters.iter().find(|(known, _)| Some(*known) == letter);
    found.map(|(_, meaning)| *meaning)
}

/// Help is plain text, which Markdown must not take for markup; code marks stay.
fn escaped(help: &str) -> String {
    let outside = |(place, part): (usize, &str)| match place % 2 {
        0 => part
            .replace('*', "\\*")
            .replace('<', "\\<")
            .replace('_', "\\_")
            .replace('[', "\\["),
        _ => part.to_owned(),
    };
    help.split('`')
        .enumerate()
        .map(outside)
        .collect::<Vec<_>>()
        .join("`")
}
