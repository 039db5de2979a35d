//! The matrix for people: as a table for the book, and one column of it for a
//! program that a reader has written.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::thread;

use crate::behaviours;
use crate::index;
use crate::matrix::{Cell, Row};
use crate::phase::Phase;

/// What one program did at each behaviour of a phase.
#[derive(Debug)]
pub struct Report {
    /// One for each row that can be asked of the phase, in the matrix's order.
    pub lines: Vec<Line>,
}

/// What one program did at one behaviour.
#[derive(Debug)]
pub struct Line {
    /// The row's name.
    pub name: &'static str,
    /// What the row is about.
    pub says: &'static str,
    /// What was observed.
    pub saw: String,
    /// What is right at this step.
    pub wanted: &'static str,
    /// Whether they agree.
    pub passed: bool,
}

/// Runs the column of phase `number` (`"07"`) against the program at `binary`.
pub fn report(number: &str, binary: &Path) -> Report {
    let number = number.parse().expect("a phase's number is a number");
    let rows = behaviours::rows().filter_map(|row| Some((row, row.cell(number).wanted()?)));
    let rows = Mutex::new(rows.enumerate());
    let lines = Mutex::new(Vec::new());

    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let next = rows.lock().expect("no panic while held").next();
                    let Some((place, (row, wanted))) = next else {
                        return;
                    };
                    let saw = observe(row, number, binary);
                    let line = Line {
                        name: row.name,
                        says: row.says,
                        passed: saw == wanted,
                        saw,
                        wanted,
                    };
                    let mut lines = lines.lock().expect("no panic while held");
                    lines.push((place, line));
                }
            });
        }
    });

    let mut lines = lines.into_inner().expect("no panic while held");
    lines.sort_by_key(|(place, _)| *place);
    Report {
        lines: lines.into_iter().map(|(_, line)| line).collect(),
    }
}

/// A program that does something unexpected makes a behaviour panic: for a report
/// that is an observation like any other.
fn observe(row: &Row, number: u8, binary: &Path) -> String {
    let observed = catch_unwind(AssertUnwindSafe(|| {
        let phase = Phase::new(number, binary);
        (row.run)(&phase)
    }));
    observed.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        text.unwrap_or_else(|| "a panic".into())
    })
}

/// The whole matrix as a Markdown table, with the sentences of the rows and the
/// flaws of the phases below it.
pub fn matrix_markdown() -> String {
    let phases = index::phases();
    let mut text = String::from("| behaviour |");

    for phase in &phases {
        let _ = write!(text, " {:02} |", phase.number());
    }
    let _ = writeln!(text, "\n| --- |{}", " --- |".repeat(phases.len()));
    for row in behaviours::rows() {
        let _ = write!(text, "| {} |", row.name.replace('_', " "));
        for phase in &phases {
            let _ = write!(text, " {} |", word(row.cell(phase.number())));
        }
        text.push('\n');
    }

    text.push('\n');
    for row in behaviours::rows() {
        let _ = writeln!(text, "- **{}**: {}", row.name.replace('_', " "), row.says);
    }

    text.push('\n');
    for born in &phases {
        for flaw in &born.flaws {
            let cure = phases.iter().find(|phase| phase.cures.contains(&flaw.id));
            let cure = cure.map_or("never cured".into(), |phase| {
                format!("cured in {:02}", phase.number())
            });
            let born = born.number();
            let _ = writeln!(
                text,
                "- flaw **{}** (born in {born:02}, {cure}): {}",
                flaw.id, flaw.symptom
            );
        }
    }
    text
}

/// Words, not colours or signs: a screen reader reads them, too.
fn word(cell: Cell) -> &'static str {
    match cell {
        Cell::Has(_) => "yes",
        Cell::Flaw(..) => "flaw",
        Cell::Lacks(_) => "no",
        Cell::NotAsked => "",
    }
}

/// Behaviours mostly wait, so many fit on a small machine.
const AT_ONCE: usize = 32;
