//! A start without backends: the addresses for scripts, the hints for people.

use std::fmt::Write as _;
use std::process::Command;

use crate::phase::Phase;
use crate::program::Program;

pub fn write(phase: &Phase) -> String {
    let mut command = Command::new(phase.binary());
    command.args(["--listen", "127.0.0.1:0"]);
    if phase.knows("--metrics") {
        command.args(["--metrics", "127.0.0.1:0"]);
    }

    let program = Program::spawn(&mut command);
    program.addr();
    if phase.knows("--metrics") {
        program.metrics_url();
    }

    let mut text = String::new();
    for (name, lines) in [("stdout", program.stdout()), ("stderr", program.log())] {
        let _ = writeln!(text, "{name}:");
        lines.look(|lines| lines.iter().for_each(|line| text += &format!("{line}\n")));
    }
    text
}
