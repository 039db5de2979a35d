//! Says what may go wrong before it does.

use crate::figure::thousands;
use crate::kernel;
use crate::machine::Machine;
use crate::programs::{PROGRAMS, Programs};

/// What there is to say of this machine, as lines of text.
pub fn describe(machine: &Machine, programs: &Programs) -> String {
    let mut lines = vec![
        format!("processor      {} × {}", machine.cores, machine.cpu),
        format!(
            "memory         {} MiB",
            thousands(machine.memory_mib as f64)
        ),
        format!("kernel         {}", machine.kernel),
        format!(
            "virtual        {}",
            if machine.virtual_machine { "yes" } else { "no" }
        ),
        format!("open files     {}", thousands(machine.open_files as f64)),
    ];

    for (name, value) in &machine.settings {
        lines.push(format!("{name:<34} {value}"));
    }
    for program in PROGRAMS {
        lines.push(match programs.find(program.name) {
            Ok(_) => {
                let version = machine.versions.get(program.name);
                format!(
                    "{:<14} {}",
                    program.name,
                    version.map_or("", String::as_str)
                )
            }
            Err(left_out) => format!(
                "{:<14} missing, needed for {}: {}",
                program.name, program.needed_for, left_out.why
            ),
        });
    }
    if let Err(left_out) = programs.nginx_stream_module() {
        lines.push(left_out.to_string());
    }

    let noise = machine.noise;
    lines.push(format!(
        "noise          equal pieces of work differ by {:.0} %, others use {:.2} cores, the host takes {:.2}",
        noise.spread_percent, noise.busy_cores, noise.stolen_cores
    ));
    lines.extend(
        warnings(machine)
            .into_iter()
            .map(|line| format!("warning: {line}")),
    );
    lines.join("\n")
}

/// What will make figures worse than they are, with the mend.
pub fn warnings(machine: &Machine) -> Vec<String> {
    let mut warnings = Vec::new();
    let number = |name: &str| {
        machine
            .settings
            .get(name)
            .and_then(|text| text.parse::<u64>().ok())
    };

    if machine.noise.busy_cores > 0.2 {
        warnings.push(format!(
            "other programs use {:.1} cores; end them before you trust a figure",
            machine.noise.busy_cores
        ));
    }
    if machine.noise.spread_percent > 30.0 {
        warnings.push(
            "equal work takes unequal time here; only ratios within a round mean something"
                .to_owned(),
        );
    }
    if machine.cores < 4 {
        warnings.push(format!(
            "{} cores are shared by load generator, proxy and backends: they take time from each \
             other, so compare the work per core",
            machine.cores
        ));
    }
    if machine.open_files < 20_000 {
        warnings.push(format!(
            "a process may open only {} files, too few for 8,000 connections; raise `ulimit -n` to 20000",
            machine.open_files
        ));
    }
    if let Some((first, last)) = kernel::ephemeral_ports()
        && last - first < 20_000
    {
        warnings.push(
            "there are few ports for outgoing connections; widen net.ipv4.ip_local_port_range"
                .to_owned(),
        );
    }
    if number("net.core.somaxconn").is_some_and(|most| most < 1024) {
        warnings.push("queues of listeners are short; raise net.core.somaxconn".to_owned());
    }
    warnings
}

#[cfg(test)]
mod tests;
