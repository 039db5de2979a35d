//! Chooses what a plot shows.

use crate::figure::Figure;
use crate::plot::Plot;
use crate::plot::bars::{self, Bar, Group};
use crate::plot::lines::{self, Line};
use crate::result::{Measurement, Outcome};
use crate::statistics::{Spread, spread};

/// A bar for each contender, a group for each case that has any.
pub fn bars(outcome: &Outcome, figure: Figure, title: &str) -> Option<Plot> {
    let mut groups = Vec::new();
    for case in &outcome.cases {
        let of_case = outcome.contenders.iter().filter_map(|contender| {
            let Spread {
                median, min, max, ..
            } = spread(outcome, &contender.name, &case.name, figure)?;
            Some(Bar {
                name: contender.name.clone(),
                value: median,
                range: (min, max),
            })
        });
        let bars: Vec<Bar> = of_case.collect();
        if !bars.is_empty() {
            groups.push(Group {
                name: case.name.clone(),
                bars,
            });
        }
    }
    let id = identifier(outcome, figure.label());
    (!groups.is_empty()).then(|| bars::draw(&id, title, &groups, &|value| figure.show(value)))
}

/// A line for each contender and figure, over the cases that have a place on the axis.
pub fn lines(outcome: &Outcome, figures: &[Figure], title: &str, x: &str) -> Option<Plot> {
    let figure = *figures.first()?;
    // A grid of round kibibytes would not be one of round mebibytes.
    let unit = if figure == Figure::PssKib {
        1024.0
    } else {
        1.0
    };
    let show = |value| {
        if figure == Figure::PssKib {
            mebibytes(value)
        } else {
            figure.show(value)
        }
    };

    let mut lines = Vec::new();
    for contender in &outcome.contenders {
        for &figure in figures {
            let points = outcome.cases.iter().filter_map(|case| {
                let spread = spread(outcome, &contender.name, &case.name, figure)?;
                Some((case.x?, spread.median / unit))
            });
            let points: Vec<(f64, f64)> = points.collect();
            let name = if figures.len() == 1 {
                contender.name.clone()
            } else {
                format!("{}: {}", contender.name, figure.label())
            };
            if !points.is_empty() {
                lines.push(Line { name, points });
            }
        }
    }
    let id = identifier(outcome, figure.label());
    (!lines.is_empty()).then(|| lines::draw(&id, title, x, &lines, &show))
}

/// The first round that counts of each contender.
pub fn memory(outcome: &Outcome, title: &str) -> Option<Plot> {
    let mut lines = Vec::new();
    for contender in &outcome.contenders {
        let is_first = |m: &&Measurement| m.contender == contender.name && m.round == 1;
        let first = outcome.measurements.iter().find(is_first);
        let samples = first
            .map(|measurement| &measurement.samples[..])
            .unwrap_or_default();
        if !samples.is_empty() {
            lines.push(Line {
                name: contender.name.clone(),
                points: samples
                    .iter()
                    .map(|s| (s.at, s.rss_kib as f64 / 1024.0))
                    .collect(),
            });
        }
    }
    let id = identifier(outcome, "memory");
    (!lines.is_empty()).then(|| lines::draw(&id, title, "seconds", &lines, &mebibytes))
}

fn mebibytes(value: f64) -> String {
    format!("{value:.0} MiB")
}

/// Also the name of the file.
fn identifier(outcome: &Outcome, what: &str) -> String {
    let what = what.replace('/', "-per-").replace(' ', "-");
    format!("{}-{what}", outcome.scenario)
}
