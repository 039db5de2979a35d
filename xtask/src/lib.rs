//! Keeps the phases from drifting apart.
//!
//! Each phase is a full copy of the proxy, so a fix made in one copy must reach all the later ones.
//! The modules here carry edits forward, write down what each phase changes, and prove that nothing
//! was forgotten. Every function takes the project's root folder, so tests can run them on small
//! trees of their own.

pub mod bless;
pub mod book;
pub mod born;
pub mod check;
pub mod delta;
pub mod fuzz;
pub mod git;
mod merge;
pub mod phases;
pub mod program;
pub mod propagate;
pub mod show;
pub mod trial;
