use clap::Parser;

use super::*;
use crate::config::Config;

fn faults(flags: &[&str]) -> Faults {
    let arguments = ["proxy"].iter().chain(flags);
    Faults::new(&Config::parse_from(arguments).fault).unwrap()
}

fn fates(faults: &Faults, count: usize) -> Vec<(Option<Duration>, bool)> {
    (0..count).map(|_| faults.draw()).collect()
}

#[test]
fn a_seed_repeats_the_run() {
    let flags = |seed| {
        [
            "--fault-delay",
            "0.5,1s",
            "--fault-disconnect",
            "0.5",
            "--fault-seed",
            seed,
        ]
    };
    let run = fates(&faults(&flags("7")), 100);
    assert_eq!(fates(&faults(&flags("7")), 100), run);
    assert_ne!(fates(&faults(&flags("8")), 100), run);
}

#[test]
fn switching_one_fault_on_does_not_move_the_other() {
    let alone = faults(&["--fault-disconnect", "0.3", "--fault-seed", "7"]);
    let both = faults(&[
        "--fault-disconnect",
        "0.3",
        "--fault-delay",
        "0.5,1s",
        "--fault-seed",
        "7",
    ]);
    let cut = |faults| {
        fates(faults, 100)
            .into_iter()
            .map(|fate| fate.1)
            .collect::<Vec<_>>()
    };
    assert_eq!(cut(&alone), cut(&both));
}

#[test]
fn faults_come_as_often_as_asked() {
    let faults = faults(&[
        "--fault-delay",
        "0.1,1s",
        "--fault-disconnect",
        "0.2",
        "--fault-seed",
        "7",
    ]);
    let fates = fates(&faults, 10_000);
    let delayed = fates.iter().filter(|fate| fate.0.is_some()).count();
    let cut = fates.iter().filter(|fate| fate.1).count();
    // Five standard deviations: 30 for p = 0.1, 40 for p = 0.2.
    assert!(delayed.abs_diff(1000) < 150, "{delayed}");
    assert!(cut.abs_diff(2000) < 200, "{cut}");
}

#[test]
fn never_and_always_are_exact() {
    let never = faults(&["--fault-delay", "0,1s", "--fault-disconnect", "0"]);
    assert!(
        fates(&never, 1000)
            .iter()
            .all(|&fate| fate == (None, false))
    );

    let always = faults(&["--fault-delay", "1,1s", "--fault-disconnect", "1"]);
    let second = Some(Duration::from_secs(1));
    assert!(
        fates(&always, 1000)
            .iter()
            .all(|&fate| fate == (second, true))
    );
}

#[test]
fn errors_name_the_mend() {
    assert_eq!(
        "0.1".parse::<Delay>().unwrap_err(),
        "the delay is missing; write 0.1,500ms"
    );
    for text in ["1.1", "-0.1", "NaN", "", "10%"] {
        assert!(
            probability(text).unwrap_err().contains("not a probability"),
            "{text}"
        );
    }
    assert!("0.1,500".parse::<Delay>().unwrap_err().contains("200ms"));
}
