//! The tables of the README are those of the bench's results.

use std::fs;

use book_preprocessor::readme::filled;
use tempfile::TempDir;

const REPORT: &str =
    "## tiny: What?\n\n| a |\n| --- |\n| 1 |\n\n**Half**\n\n| b |\n| --- |\n| 2 |\n";

fn fill(text: &str) -> Result<String, String> {
    let root = TempDir::new().expect("a folder");
    fs::create_dir_all(root.path().join("bench-env/results")).expect("a folder");
    fs::write(root.path().join("bench-env/results/tiny.book.md"), REPORT).expect("a file");
    filled(root.path(), text).map_err(|error| format!("{error:#}"))
}

#[test]
fn a_table_is_filled_in_and_stays_as_it_is() {
    let wanted = "Before.\n<!-- bench tiny table 2 -->\n\n**Half**\n\n| b |\n| --- |\n| 2 |\n\n\
                  <!-- end of bench -->\nAfter.\n";
    let old = "Before.\n<!-- bench tiny table 2 -->\n| 7 |\n<!-- end of bench -->\nAfter.\n";

    assert_eq!(fill(old).as_deref(), Ok(wanted));
    assert_eq!(fill(wanted).as_deref(), Ok(wanted));
}

#[test]
fn what_cannot_be_filled_is_named_with_its_line() {
    assert_eq!(
        fill("\n<!-- bench tiny table 3 -->\n<!-- end of bench -->\n"),
        Err(
            "README.md:2: <!-- bench tiny table 3 -->: bench-env/results/tiny.book.md has no table 3"
                .to_owned()
        )
    );
    assert_eq!(
        fill("<!-- bench tiny table 1 -->\n| 1 |\n"),
        Err("README.md:1: <!-- bench tiny table 1 -->: there is no end of it".to_owned())
    );
}
