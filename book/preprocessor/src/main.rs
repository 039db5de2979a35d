//! For mdBook: `command = "cargo run --quiet --package book-preprocessor --"`. By hand: `check`
//! resolves the book without rendering it, which takes no more than reading it.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use book_preprocessor::{Book, Project, pages, resolve};
use mdbook_preprocessor::{Preprocessor, parse_input};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["supports", _] => Ok(ExitCode::SUCCESS),
        ["check"] => check(None),
        ["check", "--only", number] => check(Some((*number).to_owned())),
        _ => preprocess(),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error:#}");
        ExitCode::FAILURE
    })
}

fn preprocess() -> Result<ExitCode> {
    let (context, book) = parse_input(io::stdin())?;
    let book = Book::new(&root(), None).run(&context, book)?;
    serde_json::to_writer(io::stdout(), &book)?;
    Ok(ExitCode::SUCCESS)
}

fn check(only: Option<String>) -> Result<ExitCode> {
    let root = root();
    let resolved = resolve(
        &Project::load(&root)?,
        &pages(&root).context("the book cannot be read")?,
    );
    let book = Book::new(&root, only);
    let failures = book.failures(resolved.failures);
    for failure in &failures {
        println!("{failure}");
    }
    for page in &resolved.unwritten {
        println!("not written yet: book/src/{page}");
    }
    if failures.is_empty() {
        println!("the book resolves");
        return Ok(ExitCode::SUCCESS);
    }
    println!("failures: {}", failures.len());
    Ok(ExitCode::FAILURE)
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
