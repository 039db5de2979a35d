//! `cargo xtask book`: renders the book, serves it, checks it, records its runs.

mod bytes;
mod links;
mod recorder;
mod runs;
mod serve;
mod site;
mod sketches;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};

/// Renders and checks the book.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Look at one chapter only, such as 04
    #[arg(long, value_name = "NN", global = true)]
    only: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Render the book to target/book
    Build,
    /// Render the book and show it at http://127.0.0.1:3000
    Serve,
    /// Render the book, and check its links, sketches and recorded runs
    Check,
    /// Record the runs anew
    Bless,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(Arguments { command, only }: Arguments) -> Result<()> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize()?;
    match command {
        Command::Build => {
            let site = site::build(&root, only)?;
            for page in &site.unwritten {
                println!("not written yet: book/src/{page}");
            }
            println!("open {}", site.folder.join("index.html").display());
        }
        Command::Serve => {
            let site = site::build(&root, only)?;
            serve::serve(&site.folder)?;
        }
        Command::Check => {
            let site = site::build(&root, only.clone())?;
            let mut failures: Vec<String> = Vec::new();
            if only.is_none() {
                let unwritten = site.unwritten.iter();
                failures.extend(unwritten.map(|page| format!("not written yet: book/src/{page}")));
            }
            failures.extend(links::broken(&site.folder)?);
            failures.extend(sketches::broken(&root, only.as_deref())?);
            failures.extend(bytes::check(&root)?);
            failures.extend(runs::check(&root, only.as_deref())?);
            for failure in &failures {
                println!("{failure}");
            }
            ensure!(
                failures.is_empty(),
                "failures in the book: {}",
                failures.len()
            );
            println!("the book holds");
        }
        Command::Bless => {
            let messages = bytes::bless(&root)?;
            for name in &messages {
                println!("recorded: {name}");
            }
            if runs::bless(&root, only.as_deref())? == 0 && messages.is_empty() {
                println!("every run is as it is recorded");
            }
        }
    }
    Ok(())
}
