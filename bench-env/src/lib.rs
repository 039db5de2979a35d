//! Runs the article's benchmark and a fairer one, and draws the report.
//!
//! A *scenario* asks a question. For each *case* of it the *contenders* run in turn,
//! round after round; each run is one *measurement* with its *figures*. All of that
//! is saved as JSON, and the report is made from nothing else.

pub mod backends;
pub mod bench;
pub mod case;
pub mod certificate;
pub mod cli;
pub mod commands;
pub mod contender;
pub mod doctor;
pub mod figure;
pub mod floor;
pub mod guard;
pub mod hidden;
pub mod http;
pub mod kernel;
pub mod left_out;
pub mod limits;
pub mod link;
pub mod machine;
pub mod measure;
pub mod open_load;
pub mod phases;
pub mod plan;
pub mod plot;
pub mod proc;
pub mod process;
pub mod programs;
pub mod progress;
pub mod report;
pub mod respond;
pub mod result;
pub mod rounds;
pub mod sampler;
pub mod save;
pub mod scenario;
pub mod smoke;
pub mod stage;
pub mod statistics;
pub mod template;
pub mod view;
pub mod workplace;
pub mod wrk;
