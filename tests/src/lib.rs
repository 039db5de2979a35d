//! Drives a phase's program and says what is right for it at that step.
//!
//! A *behaviour* starts the program, talks to it as client and as backend, and
//! returns what it saw in words. The *matrix* says which words are right for
//! which phase: a flaw that a chapter is about is expected there as firmly as
//! its cure is expected in the next one, so the phase before is the mutant that
//! proves that a test can fail.
//!
//! Everything here is synchronous and knows the program from outside only, so a
//! program in any language can be put in a phase's place.

mod behaviours;
mod index;
mod list;
mod matrix;
mod pattern;
mod report;
mod snapshots;

pub mod backend;
pub mod client;
pub mod door;
pub mod hello;
pub mod metrics;
pub mod peer;
pub mod phase;
pub mod pieces;
pub mod program;
pub mod record;
pub mod tls;

pub use behaviours::rows;
pub use list::check;
pub use matrix::{Cell, Row};
pub use report::{Line, Report, matrix_markdown, report};
pub use snapshots::snapshot;
