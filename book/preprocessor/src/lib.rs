//! Fills the book with what the phases really are.
//!
//! A chapter holds no copied code, output or table: it holds directives, `{{#delta 04 src/relay.rs}}`,
//! and each is resolved here or fails the build. All failures are listed, with chapter and line. At
//! the end it is known which lines of a phase no chapter has shown, and that fails, too.

mod change;
mod chapter;
mod coverage;
mod directives;
mod items;
mod mdbook;
mod metrics;
mod page;
mod project;
mod render;
mod resolve;
mod settings;
mod sketch;
mod view;

pub mod messages;
pub mod readme;
pub mod runs;

pub use mdbook::{Book, pages};
pub use page::{Failure, Page};
pub use project::Project;
pub use resolve::{Resolved, resolve};
pub use sketch::{Sketch, sketches};
