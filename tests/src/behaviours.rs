//! All behaviours, by what they are about.

use crate::matrix::Row;

mod account;
mod announce;
mod balance;
mod causes;
mod counting;
mod draining;
mod failover;
mod faults;
mod header;
mod health;
mod hellos;
mod leaving;
mod limits;
mod names;
mod passthrough;
mod peeking;
mod pool;
mod relay;
mod scraping;
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
        announce::ROWS,
        header::ROWS,
        scraping::ROWS,
        account::ROWS,
        causes::ROWS,
        counting::ROWS,
        faults::ROWS,
        names::ROWS,
        hellos::ROWS,
        peeking::ROWS,
        passthrough::ROWS,
        leaving::ROWS,
        draining::ROWS,
    ]
    .into_iter()
    .flatten()
}
