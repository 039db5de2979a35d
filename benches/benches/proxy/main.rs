//! What the stations of the proxy cost, in the order in which a connection passes
//! them.

use criterion::{criterion_group, criterion_main};

mod balance;
mod bucket;
mod demand;
mod header;
mod hello;
mod loopback;
mod parser;
mod pool;
mod relay;
mod share;

criterion_group!(
    stations,
    bucket::bucket,
    hello::hello,
    parser::parser,
    balance::balance,
    pool::pool,
    demand::demand,
    header::header,
    relay::relay,
    share::share,
);

criterion_main!(stations);
