//! Runs the tools on small phase trees of their own, in temporary folders with repositories of
//! their own.

mod born;
mod check;
mod circles;
mod cli;
mod conflicts;
mod delta;
mod files;
mod project;
mod propagate;
