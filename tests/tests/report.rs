//! A report tells what a program does, in words, also when that is next to nothing.

use std::path::Path;

use testkit::Line;

#[test]
fn a_program_that_forwards_nothing_is_found_out() {
    let report = testkit::report("01", Path::new(env!("CARGO_BIN_EXE_deaf")));
    let line = |name: &str| -> &Line {
        let mut lines = report.lines.iter();
        lines.find(|line| line.name == name).expect("a row of 01")
    };

    // What it should do and does not do.
    let name = line("backend_may_be_a_name");
    assert_eq!(
        (&name.saw[..], name.wanted),
        ("localhost: -", "localhost: a")
    );
    assert!(!name.passed);

    // What stops a behaviour half-way is an observation, too.
    let bytes = line("forwards_every_byte");
    assert_eq!(bytes.saw, "a connection reaches the backend");
    assert!(!bytes.passed);

    // What nobody should do yet: there it is no worse than phase 01.
    let waiting = line("connections_wait_for_clients");
    assert_eq!(waiting.saw, "before any client: 0 connections");
    assert!(waiting.passed);

    let passed = report.lines.iter().filter(|line| line.passed);
    assert!(passed.count() < report.lines.len() / 4);
}
