//! All behaviours, by what they are about.

use crate::matrix::Row;

mod account;
mod announce;
mod balance;
mod bounds;
mod causes;
mod clocks;
mod counting;
mod draining;
mod ends;
mod failover;
mod faults;
mod header;
mod health;
mod hellos;
mod leaving;
mod limits;
mod listeners;
mod log;
mod names;
mod offers;
mod passthrough;
mod peeking;
mod pool;
mod relay;
mod scraping;
mod settling;
mod splice;
mod survival;
mod waiting;
mod workers;

/// The rows of the matrix, in the order in which the book shows them.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    [
        relay::ROWS,
        splice::ROWS,
        ends::ROWS,
        survival::ROWS,
        log::ROWS,
        balance::ROWS,
        health::ROWS,
        failover::ROWS,
        pool::ROWS,
        waiting::ROWS,
        limits::ROWS,
        bounds::ROWS,
        clocks::ROWS,
        announce::ROWS,
        header::ROWS,
        scraping::ROWS,
        account::ROWS,
        causes::ROWS,
        counting::ROWS,
        faults::ROWS,
        names::ROWS,
        hellos::ROWS,
        offers::ROWS,
        peeking::ROWS,
        settling::ROWS,
        listeners::ROWS,
        passthrough::ROWS,
        leaving::ROWS,
        draining::ROWS,
        workers::ROWS,
    ]
    .into_iter()
    .flatten()
}
