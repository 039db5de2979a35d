//! Resolves tiny books about tiny phases.

mod chapters;
mod coverage;
mod deltas;
mod directives;
mod readme;
mod tiny;
