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
    let write = match text {
        "help_text" => help::write,
        "start_text" => start::write,
        "error_texts" => errors::write,
        "metrics_page" => metrics::write,
        "drain_log" => drain::write,
        unknown => panic!("nothing writes {unknown}"),
    };
    let written = write(&Phase::new(number(phase), binary));

    let mut settings = Settings::new();
    settings.set_snapshot_path(Path::new(folder).join("tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for (varies, instead) in FILTERS {
        settings.add_filter(varies, *instead);
    }
    settings.bind(|| assert_snapshot!(text, written));
}

/// What differs from run to run, and what the snapshot says instead.
const FILTERS: &[(&str, &str)] = &[
    (r"(127\.0\.0\.1|\[::1?\]):[1-9]\d*", "$1:PORT"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
    (r"(\w+_ms)=[\d.]+", "$1=TIME"),
    (r"Content-Length: \d+", "Content-Length: LENGTH"),
];
