//! Runs a phase's column of the matrix against any program, in whatever language it is written.

use std::fmt;
use std::panic;
use std::path::Path;

use anyhow::{Context, Result, bail};
use testkit::Report;

use crate::phases::Index;

/// What a program did at each behaviour of one phase.
#[derive(Debug)]
pub struct Trial {
    report: Report,
}

/// Asks of the program at `binary` what phase `number` must be able to do.
pub fn run(root: &Path, number: &str, binary: &Path) -> Result<Trial> {
    let index = Index::load(root)?;
    let phase = index.find_step(number)?;
    // A behaviour starts the program more than once, so the path must not depend on where.
    let binary = binary
        .canonicalize()
        .with_context(|| format!("there is no program {}", binary.display()))?;
    if !binary.is_file() {
        bail!("{} is not a program", binary.display());
    }
    // A panic is how a behaviour reports what it did not expect, and stands in the report.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let report = testkit::report(&phase.number, &binary);
    panic::set_hook(hook);
    Ok(Trial { report })
}

impl Trial {
    /// Whether every behaviour was right.
    pub fn passed(&self) -> bool {
        self.report.lines.iter().all(|line| line.passed)
    }
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = &self.report.lines;
        for line in lines {
            if line.passed {
                writeln!(f, "right  {}", line.name)?;
            } else {
                writeln!(f, "WRONG  {}: {}", line.name, line.says)?;
                writeln!(f, "       wanted: {}", line.wanted)?;
                writeln!(f, "       saw:    {}", line.saw)?;
            }
        }
        let right = lines.iter().filter(|line| line.passed).count();
        writeln!(f, "{right} of {} behaviours are right", lines.len())
    }
}
