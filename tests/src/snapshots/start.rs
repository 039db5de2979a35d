//! A start without backends: the addresses for scripts, the hints for people.

use std::fmt::Write as _;
use std::process::Command;

use crate::phase::Phase;
use crate::program::Program;
use crate::record::DEADLINE;

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

    let written = [("stdout", program.stdout()), ("stderr", program.log())];
    drop(program);

    let mut text = String::new();
    for (name, lines) in written {
        // Until the end: what was written may not have been read yet.
        lines.wait(DEADLINE, |_| None::<()>);
        let _ = writeln!(text, "{name}:");
        lines.look(|lines| lines.iter().for_each(|line| text += &format!("{line}\n")));
    }
    text
}
