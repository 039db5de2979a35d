//! For mdBook: `command = "cargo run --quiet --package book-preprocessor --"`. By hand: `check`
//! resolves the book without rendering it, which takes no more than reading it; `readme` fills the
//! tables of the README.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use book_preprocessor::{Book, Project, pages, readme, resolve};
use mdbook_preprocessor::{Preprocessor, parse_input};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        ["supports", _] => Ok(ExitCode::SUCCESS),
        ["check"] => check(None),
        ["check", "--only", number] => check(Some((*number).to_owned())),
        ["readme"] => fill_readme(),
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
    let text = fs::read_to_string(root.join("README.md")).context("the README cannot be read")?;
    let readme_is_filled = readme::filled(&root, &text)? == text;
    if !readme_is_filled {
        println!("README.md: its tables are not those of bench-env/results; fill them with");
        println!("    cargo run -p book-preprocessor -- readme");
    }
    for page in &resolved.unwritten {
        println!("not written yet: book/src/{page}");
    }
    if failures.is_empty() && readme_is_filled {
        println!("the book resolves");
        return Ok(ExitCode::SUCCESS);
    }
    println!("failures: {}", failures.len());
    Ok(ExitCode::FAILURE)
}

fn fill_readme() -> Result<ExitCode> {
    let file = root().join("README.md");
    let text = fs::read_to_string(&file).context("the README cannot be read")?;
    fs::write(&file, readme::filled(&root(), &text)?).context("the README cannot be written")?;
    Ok(ExitCode::SUCCESS)
}

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
