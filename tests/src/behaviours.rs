//! All behaviours, by what they are about.

use crate::matrix::Row;

mod relay;

/// The rows of the matrix, in the order in which the book shows them.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [relay::ROWS].into_iter().flatten()
}
