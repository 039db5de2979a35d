//! Which behaviour is right for which phase.

use crate::phase::Phase;

/// One behaviour: how to observe it, and what is right when.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// What the test is called.
    pub name: &'static str,
    /// What it is about, in a sentence for the reader of the matrix.
    pub says: &'static str,
    /// Observes, and says what it saw.
    pub run: fn(&Phase) -> String,
    /// What is right from a phase on until the next entry. The first is for phase 1.
    pub cells: &'static [(u8, Cell)],
}

/// What is right in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// The good observation.
    Has(&'static str),
    /// The flaw with this id, and the bad observation that it makes.
    Flaw(&'static str, &'static str),
    /// The plain observation of a program that has not got there yet.
    Lacks(&'static str),
    /// There is nothing yet that could be observed.
    NotAsked,
}

impl Row {
    /// What is right in phase `number`.
    pub fn cell(&self, number: u8) -> Cell {
        let spans = self.cells.iter();
        spans
            .rev()
            .find(|(from, _)| *from <= number)
            .map_or(Cell::NotAsked, |(_, cell)| *cell)
    }
}

impl Cell {
    /// The observation that is right; none if there is nothing to observe.
    pub fn wanted(self) -> Option<&'static str> {
        match self {
            Self::Has(value) | Self::Flaw(_, value) | Self::Lacks(value) => Some(value),
            Self::NotAsked => None,
        }
    }
}

#[cfg(test)]
mod tests;
