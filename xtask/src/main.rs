//! `cargo xtask`: keeps the phases from drifting apart.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, Parser, Subcommand};

use xtask::phases::Index;
use xtask::propagate::{self, Outcome};
use xtask::{bless, book, born, check, fuzz, show, trial};

/// Keeps the phases from drifting apart.
#[derive(Parser)]
#[command(
    name = "cargo xtask",
    bin_name = "cargo xtask",
    arg_required_else_help = true
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Carry an edit of one phase to all later phases
    ///
    /// Edit the phase, do not commit, then propagate: the edit is what differs from the last
    /// commit. Each later phase gets it by a three-way merge. At the end the deltas are rewritten;
    /// when the edit went through unchanged, only the edited phase's own delta is different.
    Propagate(Propagate),
    /// List everything that does not hold between the phases
    Check {
        /// Skip format, lints and the book, which need a build
        #[arg(long)]
        no_cargo: bool,
    },
    /// Rewrite phases/deltas/NN.diff from what the phases really change
    Bless {
        /// The phases whose deltas to rewrite [default: all]
        #[arg(value_name = "NN")]
        numbers: Vec<String>,
    },
    /// Say in which phase a line was born
    Born {
        /// The phase in which you saw the line
        #[arg(value_name = "NN")]
        number: String,
        /// The line, such as src/relay.rs:41
        #[arg(value_name = "FILE:LINE", value_parser = file_and_line)]
        place: (String, usize),
    },
    /// Show the difference between two phases
    Diff {
        /// The phase to start from
        #[arg(value_name = "A")]
        old: String,
        /// The phase to compare it with
        #[arg(value_name = "B")]
        new: String,
        /// Only this file, such as src/relay.rs
        file: Option<String>,
    },
    /// Try a program of your own as a phase: run the phase's column of the matrix against it
    Try {
        /// The phase to compare it with
        #[arg(value_name = "NN")]
        number: String,
        /// The program, in whatever language: it must know the phase's flags
        #[arg(long, value_name = "PATH")]
        bin: PathBuf,
    },
    /// Look for inputs that the parser of phase 13 cannot stand; needs a C++ compiler
    Fuzz {
        /// How long
        #[arg(long, value_name = "N", default_value_t = 60)]
        seconds: u32,
    },
    /// Build or check the book
    Book(Book),
}

#[derive(Args)]
struct Book {
    #[command(subcommand)]
    command: BookCommand,
    /// Look at one chapter only, such as 04
    #[arg(long, value_name = "NN", global = true)]
    only: Option<String>,
}

#[derive(Subcommand)]
enum BookCommand {
    /// Render the book to target/book
    Build,
    /// Render the book and show it at http://127.0.0.1:3000
    Serve,
    /// Render the book, and check its links, sketches and recorded runs
    Check {
        /// Only resolve the chapters, which takes seconds
        #[arg(long)]
        text: bool,
    },
    /// Record the runs anew
    Bless,
}

#[derive(Args)]
struct Propagate {
    /// The phase that was edited
    #[arg(value_name = "NN", required_unless_present_any = ["resume", "abort"])]
    number: Option<String>,
    /// The commit without the edit, when the edit is committed already
    #[arg(
        long,
        value_name = "COMMIT",
        default_value = "HEAD",
        requires = "number"
    )]
    since: String,
    /// Go on after the conflict markers are mended
    #[arg(long = "continue", conflicts_with_all = ["number", "abort"])]
    resume: bool,
    /// Put all later phases back to what they were
    #[arg(long, conflicts_with = "number")]
    abort: bool,
}

fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(code) => code,
        // The reader of a pipe has seen enough.
        Err(error)
            if error
                .downcast_ref::<io::Error>()
                .is_some_and(|io| io.kind() == ErrorKind::BrokenPipe) =>
        {
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode> {
    let root = root()?;
    let mut out = io::stdout().lock();
    match command {
        Command::Propagate(arguments) => {
            let outcome = match arguments {
                Propagate { resume: true, .. } => propagate::resume(&root)?,
                Propagate { abort: true, .. } => propagate::abort(&root)?,
                Propagate { number, since, .. } => {
                    propagate::start(&root, &number.unwrap_or_default(), &since)?
                }
            };
            write!(out, "{outcome}")?;
            if matches!(outcome, Outcome::Stopped { .. }) {
                return Ok(ExitCode::FAILURE);
            }
        }
        Command::Check { no_cargo } => {
            let mut failures = check::phases(&root)?;
            if !no_cargo {
                failures.extend(check::cargo(&root)?);
            }
            for failure in &failures {
                writeln!(out, "{failure}")?;
            }
            if !failures.is_empty() {
                writeln!(out, "failures: {}", failures.len())?;
                return Ok(ExitCode::FAILURE);
            }
            writeln!(out, "everything holds")?;
        }
        Command::Bless { numbers } => {
            let index = Index::load(&root)?;
            let blessed = if numbers.is_empty() {
                for stray in bless::remove_strays(&root, &index)? {
                    writeln!(out, "removed: {stray}")?;
                }
                bless::bless(&root, &index, index.steps())?
            } else {
                let named: Result<Vec<_>> = numbers
                    .iter()
                    .map(|number| index.find_step(number))
                    .collect();
                bless::bless(&root, &index, named?)?
            };
            for delta in &blessed {
                writeln!(out, "changed: {delta}")?;
            }
            if blessed.is_empty() {
                writeln!(out, "no delta changed")?;
            }
        }
        Command::Born {
            number,
            place: (file, line),
        } => {
            writeln!(out, "{}", born::born(&root, &number, &file, line)?)?;
        }
        Command::Diff { old, new, file } => {
            let delta = show::difference(&root, &old, &new, file.as_deref())?;
            let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            if out.is_terminal() && !no_color {
                write!(out, "{}", show::coloured(&delta))?;
            } else {
                write!(out, "{delta}")?;
            }
        }
        Command::Fuzz { seconds } => return Ok(exit_code(fuzz::run(&root, seconds)?)),
        Command::Book(Book { command, only }) => {
            let only = only.as_deref();
            let name = match command {
                BookCommand::Check { text: true } => {
                    return Ok(exit_code(book::text(&root, only)?));
                }
                BookCommand::Build => "build",
                BookCommand::Serve => "serve",
                BookCommand::Check { text: false } => "check",
                BookCommand::Bless => "bless",
            };
            let mut arguments = vec![name];
            arguments.extend(only.iter().flat_map(|only| ["--only", *only]));
            return Ok(exit_code(book::build(&root, &arguments)?));
        }
        Command::Try { number, bin } => {
            let trial = trial::run(&root, &number, &bin)?;
            write!(out, "{trial}")?;
            if !trial.passed() {
                return Ok(ExitCode::FAILURE);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn exit_code(succeeded: bool) -> ExitCode {
    match succeeded {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// The project's root: the nearest folder upwards that holds the index of the phases.
fn root() -> Result<PathBuf> {
    let here = std::env::current_dir().context("cannot tell the current folder")?;
    let found = here
        .ancestors()
        .find(|folder| folder.join("phases/phases.toml").is_file());
    Ok(found
        .context("no phases/phases.toml in this folder or above it: run this inside the project")?
        .to_owned())
}

fn file_and_line(text: &str) -> Result<(String, usize), String> {
    let (file, line) = text
        .rsplit_once(':')
        .ok_or("write it as FILE:LINE, such as src/relay.rs:41")?;
    let line = line
        .parse()
        .map_err(|_| format!("{line} is no line number"))?;
    Ok((file.to_owned(), line))
}
