//! The log of a program that is asked to leave.

use crate::phase::Phase;
use crate::program::Program;

pub fn write(phase: &Phase) -> String {
    let scenes = [
        (
            "the connection ends by itself",
            by_itself as fn(&Phase) -> Program,
        ),
        ("the deadline cuts it", at_the_deadline),
        ("a second signal comes", second_signal),
    ];
    let scenes = scenes.map(|(title, play)| {
        let (code, text) = play(phase).wait_end();
        let code = code.map_or("none".into(), |code| code.to_string());
        // The error of the program and the last lines of the log come in any order.
        let (error, log): (Vec<_>, Vec<_>) =
            text.lines().partition(|line| line.starts_with("error: "));
        let lines = [log, error].concat().join("\n");
        format!("{title}:\n{lines}\nexit code {code}\n")
    });
    scenes.join("\n")
}

fn by_itself(phase: &Phase) -> Program {
    let (program, client, server) = phase.proxy().dialogue();
    program.terminate();
    program.wait_log(&["draining"]);
    client.finish();
    server.finish();
    program
}

fn at_the_deadline(phase: &Phase) -> Program {
    let start = phase.proxy().flag("--drain-timeout", "100ms");
    let (mut program, _client, _server) = start.dialogue();
    program.terminate();
    program.wait_exit();
    program
}

fn second_signal(phase: &Phase) -> Program {
    let (mut program, _client, _server) = phase.proxy().dialogue();
    program.terminate();
    program.wait_log(&["draining"]);
    program.terminate();
    program.wait_exit();
    program
}
