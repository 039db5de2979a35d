//! Mistakes on the command line, and what the program says about them.

use std::fmt::Write as _;
use std::path::Path;

use assert_cmd::Command;

use crate::door::Door;
use crate::phase::Phase;
use crate::record::DEADLINE;

pub fn write(phase: &Phase) -> String {
    let mut text = String::new();
    for (flag, arguments) in MISTAKES {
        if phase.knows(flag) {
            text += &run(phase, arguments);
            text += "\n";
        }
    }

    text + &addresses_in_use(phase)
}

fn addresses_in_use(phase: &Phase) -> String {
    let door = Door::closed();
    let _listener = door.open();
    let taken = door.addr().to_string();

    let mut text = run(phase, &["--backend", "127.0.0.1:9", "--listen", &taken]);
    if phase.knows("--metrics") {
        let free = ["--backend", "127.0.0.1:9", "--listen", "127.0.0.1:0"];
        text += "\n";
        text += &run(phase, &[&free[..], &["--metrics", &taken]].concat());
    }
    text.replace(&taken, "127.0.0.1:PORT")
}

/// Runs the program to its end: the command, the exit code, and what was written.
pub fn run(phase: &Phase, arguments: &[&str]) -> String {
    let output = Command::new(phase.binary())
        .args(arguments)
        .env("NO_COLOR", "1")
        .timeout(DEADLINE)
        .output()
        .expect("the program can be started");

    let name = Path::new(phase.binary()).file_name().unwrap_or_default();
    let mut text = format!("$ {} {}\n", name.display(), arguments.join(" "));
    text += &String::from_utf8_lossy(&output.stdout);
    text += &String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    let code = code.map_or("none: it did not end".into(), |code| code.to_string());
    let _ = writeln!(text, "exit code {code}");
    text
}

/// The flag that has to be there for it, and the command line.
const MISTAKES: &[(&str, &[&str])] = &[
    ("--listen", &["--no-such-flag"]),
    ("--listen", &["--listen", "here"]),
    ("--backend", &["--backend", "127.0.0.1"]),
    ("--backend", &["--backend", ":80"]),
    ("--backend", &["--backend", "::1:80"]),
    ("--backend", &["--backend", "127.0.0.1:0"]),
    (
        "--backend",
        &[
            "--backend",
            "127.0.0.1:9",
            "--backend",
            "127.0.0.1:9",
            "--listen",
            "127.0.0.1:0",
        ],
    ),
    ("--balance", &["--backend", "127.0.0.1:9,weight=0"]),
    ("--balance", &["--backend", "127.0.0.1:9,wieght=3"]),
    ("--balance", &["--balance", "best"]),
    ("--health-interval", &["--health-interval", "3"]),
    ("--health-interval", &["--health-interval", "0s"]),
    ("--health-interval", &["--fall", "0"]),
    ("--max-connections", &["--max-connections", "0"]),
    ("--rate-limit", &["--rate-limit", "5"]),
    ("--proxy-protocol", &["--proxy-protocol", "v3"]),
    ("--metrics", &["--metrics", "9100"]),
    ("--log-format", &["--log-format", "xml"]),
    ("--fault-delay", &["--fault-delay", "0.1"]),
    ("--fault-disconnect", &["--fault-disconnect", "10"]),
    ("--sni", &["--sni", "a.example.com"]),
    ("--sni", &["--sni", "*=127.0.0.1:9"]),
    ("--sni", &["--sni", "a.example.com=127.0.0.1"]),
    ("--pool-max-idle", &["--pool-size", "many"]),
    ("--pool-max-idle", &["--backend", "127.0.0.1:9,pool=no"]),
    (
        "--pool-max-idle",
        &[
            "--listen",
            "127.0.0.1:0",
            "--backend",
            "127.0.0.1:9",
            "--sni",
            "a.example.com=127.0.0.1:9,pool=off",
        ],
    ),
];
