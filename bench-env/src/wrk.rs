//! Reads what wrk prints.
//!
//! Its columns invite mistakes: "+/- Stdev" is a percentage too, and once lost a
//! reader the p50 of most rounds. So each line is read in its own section only.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

/// The result of one run of wrk.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Answers.
    pub requests: u64,

    /// Seconds, as wrk measured them.
    pub seconds: f64,

    /// Bytes of answers, heads included.
    pub bytes: f64,

    /// Answers per second.
    pub requests_per_second: f64,

    /// Percent to microseconds, from "Latency Distribution".
    pub latency: BTreeMap<u8, f64>,

    /// What went wrong, by kind; without those that are zero.
    pub errors: BTreeMap<String, u64>,
}

/// Reads wrk's standard output.
pub fn parse(output: &str) -> Result<Load> {
    let mut requests = None;
    let mut requests_per_second = None;
    let mut latency = BTreeMap::new();
    let mut errors = BTreeMap::new();
    let mut in_distribution = false;

    for line in output.lines().map(str::trim) {
        if line == "Latency Distribution" {
            in_distribution = true;
        } else if let Some((percent, time)) = line.split_once('%').filter(|_| in_distribution) {
            let percent: f64 = percent.parse().context("a percentage of wrk's")?;
            // Only 50, 75, 90 and 99 are printed.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            latency.insert(percent as u8, micros(time.trim())?);
        } else if let Some((count, rest)) = line.split_once(" requests in ") {
            in_distribution = false;
            let (seconds, bytes) = rest.split_once(", ").context("wrk's line of requests")?;
            let bytes = bytes.strip_suffix(" read").context("wrk's bytes read")?;
            requests = Some((
                count.parse()?,
                micros(seconds)? / 1e6,
                scaled(bytes, 1024.0)?,
            ));
        } else if let Some(list) = line.strip_prefix("Socket errors: ") {
            for item in list.split(", ") {
                let (kind, count) = item.split_once(' ').context("wrk's socket errors")?;
                errors.insert(kind.to_owned(), count.parse()?);
            }
        } else if let Some(count) = line.strip_prefix("Non-2xx or 3xx responses: ") {
            errors.insert("non-2xx".to_owned(), count.parse()?);
        } else if let Some(rate) = line.strip_prefix("Requests/sec:") {
            requests_per_second = Some(rate.trim().parse()?);
        }
    }

    errors.retain(|_, count| *count > 0);
    let (requests, seconds, bytes) =
        requests.context("wrk did not say how many requests it made")?;
    Ok(Load {
        requests,
        seconds,
        bytes,
        requests_per_second: requests_per_second.context("wrk did not say its rate")?,
        latency,
        errors,
    })
}

/// A time with its unit: us, ms, s, m or h.
fn micros(text: &str) -> Result<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "us" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        "m" => 60e6,
        "h" => 3600e6,
        unit => anyhow::bail!("wrk wrote a time in {unit:?}: {text:?}"),
    };
    Ok(factor
        * digits
            .parse::<f64>()
            .with_context(|| format!("wrk's time {text:?}"))?)
}

/// A number with a unit as k, M, G or MB: wrk counts bytes by 1024, the rest by 1000.
fn scaled(text: &str, step: f64) -> Result<f64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let power = match text[digits.len()..].trim_end_matches('B') {
        "" => 0,
        "k" | "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        unit => anyhow::bail!("wrk wrote a number in {unit:?}: {text:?}"),
    };
    let number: f64 = digits
        .parse()
        .with_context(|| format!("wrk's number {text:?}"))?;
    Ok(number * step.powi(power))
}

#[cfg(test)]
mod tests;
