//! What a reader needs beside the figures to judge them.

use std::collections::BTreeMap;

use crate::figure::thousands;
use crate::result::Outcome;

/// How it was measured.
pub fn how(outcome: &Outcome) -> String {
    let settings = &outcome.settings;
    let profile = if settings.phase_profile == "release" {
        String::new()
    } else {
        format!(
            " **The phases were built by profile `{}`: these figures are no measure of them.**",
            settings.phase_profile
        )
    };
    format!(
        "Median (least–greatest) of {} round(s) of {} s; the contenders took turns in each round. \
         Backends close a connection after {} requests.{profile}\n\n",
        settings.rounds,
        settings.seconds,
        thousands(f64::from(settings.keepalive_requests)),
    )
}

/// Who did not take part.
pub fn left_out(outcome: &Outcome) -> String {
    section("Left out", outcome.left_out.iter().map(ToString::to_string))
}

/// Rounds in which something went wrong.
pub fn errors(outcome: &Outcome) -> String {
    let failed = outcome
        .measurements
        .iter()
        .filter(|m| m.round > 0 && !m.errors.is_empty());
    let lines = failed.map(|measurement| {
        let kinds: Vec<String> = measurement
            .errors
            .iter()
            .map(|(kind, count)| format!("{count} {kind}"))
            .collect();
        format!(
            "{}, {}, round {}: {}",
            measurement.contender,
            measurement.case,
            measurement.round,
            kinds.join(", ")
        )
    });
    section("Errors: these rounds are in no figure above", lines)
}

/// What may have decided figures instead of the proxy.
pub fn limits(outcome: &Outcome) -> String {
    let mut by_limit: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
    for measurement in outcome.measurements.iter().filter(|m| m.round > 0) {
        for limit in &measurement.limited_by {
            *by_limit
                .entry(limit)
                .or_default()
                .entry(&measurement.contender)
                .or_default() += 1;
        }
    }

    let lines = by_limit.into_iter().map(|(limit, contenders)| {
        let names: Vec<String> = contenders
            .into_iter()
            .map(|(name, count)| format!("{name} ×{count}"))
            .collect();
        format!("{limit} ({})", names.join(", "))
    });
    section(
        "What else than the proxy was a limit, and in how many runs",
        lines,
    )
}

/// Who took part.
pub fn contenders(outcome: &Outcome) -> String {
    let lines = outcome
        .contenders
        .iter()
        .map(|one| format!("{}: {}", one.name, one.what));
    section("Who took part", lines)
}

/// Where it was measured.
pub fn machine(outcome: &Outcome) -> String {
    let machine = &outcome.machine;
    let kind = if machine.virtual_machine {
        "virtual machine, "
    } else {
        ""
    };
    let mut lines = vec![
        format!(
            "{} ({kind}{} × {}, {} MiB, Linux {})",
            outcome.started,
            machine.cores,
            machine.cpu,
            thousands(machine.memory_mib as f64),
            machine.kernel
        ),
        format!(
            "noise at the start: equal work differed by {:.0} %, others used {:.2} cores, the host took {:.2}",
            machine.noise.spread_percent, machine.noise.busy_cores, machine.noise.stolen_cores
        ),
    ];
    lines.extend(machine.versions.values().cloned());
    section("The machine", lines.into_iter())
}

fn section(title: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: String = lines.map(|line| format!("- {line}\n")).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("**{title}**\n\n{lines}\n")
}
