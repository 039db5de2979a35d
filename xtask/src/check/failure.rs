//! What a check says.

use std::fmt;

/// Something that does not hold.
#[derive(Debug)]
pub struct Failure {
    /// What is wrong, and where.
    pub what: String,
    /// What to do about it.
    pub mend: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n    → {}", self.what, self.mend)
    }
}

/// What was found so far.
#[derive(Default)]
pub(super) struct Failures {
    pub(super) list: Vec<Failure>,
}

impl Failures {
    pub(super) fn add(&mut self, what: impl Into<String>, mend: impl Into<String>) {
        self.list.push(Failure {
            what: what.into(),
            mend: mend.into(),
        });
    }
}
