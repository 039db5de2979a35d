//! A layer 4 proxy. A connection walks once through it, from top to bottom of
//! this list, and each station is one file.

pub mod accept;
pub mod handover;
pub mod listen;
pub mod server;
pub mod session;
pub mod worker;

pub mod limit;
pub mod rate;

pub mod fault;

pub mod hello;
pub mod route;
pub mod sni;

pub mod balance;
pub mod ejection;
pub mod failover;
pub mod health;

pub mod connect;
pub mod demand;
pub mod pool;
pub mod refill;

pub mod proxy_header;

pub mod direction;
pub mod idle;
pub mod meter;
pub mod pipe;
pub mod relay;
pub mod reset;

pub mod drain;
pub mod shutdown;

pub mod access_log;
pub mod cause;
pub mod metrics;
pub mod metrics_endpoint;

pub mod backend;
pub mod error;
pub mod proxy;

pub mod config;
pub mod demo;
