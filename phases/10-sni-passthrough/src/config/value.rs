//! The values of settings, as they are written on the command line.

use std::str::FromStr;
use std::time::Duration;

/// A duration between nothing, which would make an interval a busy loop, and a
/// year, beyond which the clock's arithmetic ends one day.
pub fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("it must be more than zero".to_owned()),
        Ok(duration) if duration > YEAR => Err("it must be at most a year".to_owned()),
        Ok(duration) => Ok(duration),
        Err(_) => Err("write a number and a unit, as 200ms or 3s".to_owned()),
    }
}

/// A whole number that is not nothing.
pub fn at_least_one<T: FromStr + Default + PartialEq>(text: &str) -> Result<T, String> {
    match text.parse() {
        Ok(number) if number != T::default() => Ok(number),
        _ => Err("write a whole number, 1 or more".to_owned()),
    }
}

const YEAR: Duration = Duration::from_hours(24 * 365);
