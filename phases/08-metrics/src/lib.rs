//! A layer 4 proxy. A connection walks once through it, from top to bottom of
//! this list. Each station is a file, and what it is made of lies in the folder of
//! the same name.

pub mod server;
pub mod session;

pub mod accept;
pub mod account;
pub mod admit;
pub mod announce;
pub mod choose;
pub mod connect;
pub mod relay;

pub mod backend;
pub mod error;
pub mod proxy;

pub mod config;
pub mod demo;
pub mod log;
