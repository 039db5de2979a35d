//! All behaviours, by what they are about.

use crate::matrix::Row;

mod balance;
mod failover;
mod health;
mod limits;
mod pool;
mod relay;
mod survival;

/// The rows of the matrix, in the order in which the book shows them.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [
        relay::ROWS,
        survival::ROWS,
        balance::ROWS,
        health::ROWS,
        failover::ROWS,
        pool::ROWS,
        limits::ROWS,
    ]
    .into_iter()
    .flatten()
}
