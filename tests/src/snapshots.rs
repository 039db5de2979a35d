//! What the program writes, word for word. A snapshot lies beside the phase, in
//! `tests/snapshots/`, where a reader finds what the program says at that step.

use std::path::Path;

use insta::{Settings, assert_snapshot};

use crate::list::number;
use crate::phase::Phase;

mod drain;
mod errors;
mod help;
mod metrics;
mod start;

/// Compares one text of the program with its snapshot under `folder`, the phase's own.
pub fn snapshot(phase: &str, binary: &str, folder: &str, text: &str) {
    let (write, filters): (fn(&Phase) -> String, _) = match text {
        "help_text" => (help::write, NOTHING),
        "error_texts" => (errors::write, NOTHING),
        "start_text" => (start::write, WHAT_VARIES),
        "metrics_page" => (metrics::write, WHAT_VARIES),
        "drain_log" => (drain::write, WHAT_VARIES),
        unknown => panic!("nothing writes {unknown}"),
    };
    let written = write(&Phase::new(number(phase), binary));

    let mut settings = Settings::new();
    settings.set_snapshot_path(Path::new(folder).join("tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (varies, instead) in filters {
        settings.add_filter(varies, *instead);
    }
    settings.bind(|| assert_snapshot!(text, written));
}

/// What differs from run to run, and what the snapshot says instead.
const WHAT_VARIES: &[(&str, &str)] = &[
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
    (r"(\w+_ms)=[\d.]+", "$1=MS"),
    (r"Content-Length: \d+", "Content-Length: N"),
];

const NOTHING: &[(&str, &str)] = &[];
