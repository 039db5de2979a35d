//! What a run goes on without, and says so.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Something that the run went on without.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Whom or what.
    pub what: String,

    /// The cause, and what would mend it.
    pub why: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.why)
    }
}

impl std::error::Error for LeftOut {}
