//! The tables, in Markdown.

use crate::figure::Figure;
use crate::result::Outcome;
use crate::statistics::{Spread, ratio, spread};

/// One table for each case.
pub fn by_contender(outcome: &Outcome, figures: &[Figure]) -> String {
    let mut text = String::new();
    for case in &outcome.cases {
        text.push_str(&heading(&case.name));
        text.push_str(&table(
            figures,
            outcome
                .contenders
                .iter()
                .map(|contender| contender.name.as_str()),
            |contender, figure| {
                cell(spread(outcome, contender, &case.name, figure), |v| {
                    figure.show(v)
                })
            },
        ));
    }
    text
}

/// One table for each contender.
pub fn by_case(outcome: &Outcome, figures: &[Figure]) -> String {
    let mut text = String::new();
    for contender in &outcome.contenders {
        text.push_str(&heading(&contender.name));
        text.push_str(&table(
            figures,
            outcome.cases.iter().map(|case| case.name.as_str()),
            |case, figure| {
                cell(spread(outcome, &contender.name, case, figure), |v| {
                    figure.show(v)
                })
            },
        ));
    }
    text
}

/// One table for each case, all values divided by those of `base`.
pub fn ratios(outcome: &Outcome, base: &str, figures: &[Figure]) -> String {
    if outcome
        .contenders
        .iter()
        .all(|contender| contender.name != base)
    {
        return String::new();
    }

    let mut text = format!(
        "Divided by {base} in the same round: median (least–greatest). `≈`: the range holds 1, so \
         that no lead is shown.\n\n"
    );
    for case in &outcome.cases {
        if outcome.cases.len() > 1 {
            text.push_str(&heading(&case.name));
        }
        let others = outcome
            .contenders
            .iter()
            .map(|contender| contender.name.as_str());
        text.push_str(&table(
            figures,
            others.filter(|name| *name != base),
            |name, figure| {
                let ratio = ratio(outcome, name, base, &case.name, figure);
                let sign = if ratio.is_some_and(|r| r.min <= 1.0 && r.max >= 1.0) {
                    "≈ "
                } else {
                    ""
                };
                sign.to_owned() + &cell(ratio, |value| format!("{value:.2}"))
            },
        ));
    }
    text
}

fn heading(name: &str) -> String {
    format!("**{name}**\n\n")
}

/// Leaves out columns in which nobody has anything.
fn table<'a>(
    figures: &[Figure],
    rows: impl Iterator<Item = &'a str>,
    value: impl Fn(&str, Figure) -> String,
) -> String {
    let rows: Vec<&str> = rows.collect();
    let is_used = |figure: &Figure| rows.iter().any(|row| value(row, *figure) != NOTHING);
    let figures: Vec<Figure> = figures.iter().copied().filter(is_used).collect();

    let mut text = "| |".to_owned();
    for figure in &figures {
        text.push_str(&format!(" {} |", figure.label()));
    }
    text.push_str(&format!("\n| --- |{}\n", " ---: |".repeat(figures.len())));
    for row in rows {
        text.push_str(&format!("| {row} |"));
        for figure in &figures {
            text.push_str(&format!(" {} |", value(row, *figure)));
        }
        text.push('\n');
    }
    text.push('\n');
    text
}

fn cell(spread: Option<Spread>, show: impl Fn(f64) -> String) -> String {
    match spread {
        None => NOTHING.to_owned(),
        Some(spread) => {
            // A narrow table may break a line between a figure and its range, but not
            // between a number and its unit.
            let show = |value| show(value).replace(' ', "\u{a0}");
            let (median, min, max) = (show(spread.median), show(spread.min), show(spread.max));
            if min == max {
                median
            } else {
                format!("{median} ({min}–{max})")
            }
        }
    }
}

const NOTHING: &str = "–";
