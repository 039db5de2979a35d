//! Says what is going on, and how long it will take.

use std::time::Duration;

/// Counts the seconds that are planned and those that are done.
#[derive(Debug, Default)]
pub struct Progress {
    left: f64,
}

impl Progress {
    /// Announces work.
    pub fn plan(&mut self, seconds: f64) {
        self.left = seconds;
    }

    /// Begins a part of it.
    pub fn begin(&mut self, what: &str, seconds: f64) {
        eprint!("{:>12} left  {what} …", time(self.left));
        self.left = (self.left - seconds).max(0.0);
    }

    /// Ends it.
    pub fn end(&self, result: &str) {
        eprintln!(" {result}");
    }
}

fn time(seconds: f64) -> String {
    let whole = Duration::from_secs_f64(seconds.ceil());
    humantime::format_duration(whole).to_string()
}
