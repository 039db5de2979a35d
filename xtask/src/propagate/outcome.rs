//! What a propagation tells its author.

use std::fmt;

use crate::bless::Blessed;

/// How a propagation ended.
#[derive(Debug)]
pub enum Outcome {
    /// The edit is in every later phase.
    Done {
        /// What was written.
        written: Vec<Written>,
        /// The deltas that are different now.
        blessed: Vec<Blessed>,
    },
    /// Someone has to decide before it can go on.
    Stopped {
        /// What was written, the markers included.
        written: Vec<Written>,
        /// The folder of the phase that holds the markers.
        folder: String,
        /// The files with markers, inside that folder.
        files: Vec<String>,
    },
    /// The later phases are as they were.
    Aborted {
        /// What was restored.
        restored: Vec<Written>,
    },
}

/// The files that changed in one phase.
#[derive(Debug, PartialEq, Eq)]
pub struct Written {
    /// The number of the phase.
    pub number: String,
    /// Paths inside the phase's folder.
    pub files: Vec<String>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done { written, blessed } => {
                list(f, written)?;
                let deltas: Vec<String> = blessed.iter().map(ToString::to_string).collect();
                match deltas.as_slice() {
                    [] => writeln!(f, "no delta changed"),
                    [one] => writeln!(f, "changed: {one} only"),
                    many => writeln!(f, "changed: {}", many.join(", ")),
                }
            }
            Self::Stopped {
                written,
                folder,
                files,
            } => {
                list(f, written)?;
                writeln!(f, "conflict in {folder}:")?;
                files
                    .iter()
                    .try_for_each(|file| writeln!(f, "    {folder}/{file}"))?;
                writeln!(
                    f,
                    "mend the markers (or remove a file that is not wanted), then:"
                )?;
                writeln!(
                    f,
                    "    cargo xtask propagate --continue    to carry the edit on"
                )?;
                writeln!(
                    f,
                    "    cargo xtask propagate --abort       to put all later phases back"
                )
            }
            Self::Aborted { restored } => {
                list(f, restored)?;
                writeln!(
                    f,
                    "the later phases are as they were; the edit itself is untouched"
                )
            }
        }
    }
}

fn list(f: &mut fmt::Formatter<'_>, phases: &[Written]) -> fmt::Result {
    phases.iter().try_for_each(|phase| {
        let files = if phase.files.is_empty() {
            "nothing to do".to_owned()
        } else {
            phase.files.join(", ")
        };
        writeln!(f, "{}: {files}", phase.number)
    })
}
