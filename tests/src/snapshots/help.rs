//! `--help`: what a reader sees first.

use crate::phase::Phase;
use crate::snapshots::errors::run;

pub fn write(phase: &Phase) -> String {
    run(phase, &["--help"])
}
