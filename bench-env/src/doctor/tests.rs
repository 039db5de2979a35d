use std::collections::BTreeMap;

use super::warnings;
use crate::machine::{Machine, Noise};

fn good() -> Machine {
    Machine {
        cpu: String::new(),
        cores: 8,
        memory_mib: 16_000,
        kernel: String::new(),
        virtual_machine: false,
        open_files: 65_536,
        settings: BTreeMap::from([("net.core.somaxconn".to_owned(), "4096".to_owned())]),
        versions: BTreeMap::new(),
        noise: Noise {
            spread_percent: 2.0,
            busy_cores: 0.0,
            stolen_cores: 0.0,
        },
    }
}

fn about(change: fn(&mut Machine)) -> String {
    let mut machine = good();
    change(&mut machine);
    warnings(&machine).join("\n")
}

#[test]
fn warns_of_what_disturbs_and_says_the_mend() {
    assert!(about(|machine| machine.noise.busy_cores = 1.5).contains("end them"));
    assert!(about(|machine| machine.noise.spread_percent = 80.0).contains("ratios"));
    assert!(about(|machine| machine.cores = 2).contains("per core"));
    assert!(about(|machine| machine.open_files = 1024).contains("ulimit -n"));
    let short = |machine: &mut Machine| {
        machine
            .settings
            .insert("net.core.somaxconn".to_owned(), "128".to_owned());
    };
    assert!(about(short).contains("net.core.somaxconn"));
}
