//! What a report can show of a scenario.

use crate::figure::Figure;
use crate::result::Outcome;

/// A part of a scenario's report.
#[derive(Clone, Copy)]
pub enum View {
    /// Contenders as rows, figures as columns, one table for each case.
    Table {
        /// The columns.
        figures: &'static [Figure],
    },

    /// Cases as rows, figures as columns, one table for each contender.
    Cases {
        /// The columns.
        figures: &'static [Figure],
    },

    /// Ratios to one contender, taken within each round.
    Ratios {
        /// Whose figures are one.
        base: &'static str,

        /// The columns.
        figures: &'static [Figure],
    },

    /// A bar for each contender, a group for each case.
    Bars {
        /// How long they are.
        figure: Figure,

        /// The heading.
        title: &'static str,
    },

    /// Figures over the cases.
    Lines {
        /// One line each, for each contender.
        figures: &'static [Figure],

        /// The heading.
        title: &'static str,

        /// What the cases are.
        x: &'static str,
    },

    /// Resident memory over the time of one measurement.
    MemoryOverTime {
        /// The heading.
        title: &'static str,
    },

    /// A paragraph that needs the figures.
    Text(fn(&Outcome) -> String),
}
