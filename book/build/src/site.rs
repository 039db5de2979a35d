//! Renders the book with mdBook's own library. A warning is an error.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, anyhow, ensure};
use book_preprocessor::Book;
use mdbook_driver::MDBook;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context as LayerContext, Layer, SubscriberExt};

/// What came of rendering.
#[derive(Debug)]
pub struct Site {
    /// The folder with the pages.
    pub folder: PathBuf,
    /// Chapters that nobody has written yet.
    pub unwritten: Vec<String>,
}

/// Renders the book below `root`; with `only`, failures in other chapters are let through.
pub fn build(root: &Path, only: Option<String>) -> Result<Site> {
    let warnings = Warnings::default();
    let subscriber = tracing_subscriber::registry().with(warnings.clone());
    let site = tracing::subscriber::with_default(subscriber, || render(root, only))?;
    let warnings = warnings
        .0
        .lock()
        .map_err(|_| anyhow!("a warning got lost"))?;
    ensure!(
        warnings.is_empty(),
        "mdBook warns:\n{}",
        warnings.join("\n")
    );
    Ok(site)
}

fn render(root: &Path, only: Option<String>) -> Result<Site> {
    let mut book = MDBook::load(root.join("book"))?;
    let folder = book.build_dir_for("html");
    let preprocessor = Book::new(root, only);
    let unwritten = Arc::clone(&preprocessor.unwritten);
    // The same name as in book.toml, so that it takes the place of the command there.
    book.with_preprocessor(preprocessor);
    // mdBook leaves pages that are gone from the book where they are.
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    book.build()?;
    let unwritten = unwritten
        .lock()
        .map_err(|_| anyhow!("the list of chapters got lost"))?;
    Ok(Site {
        folder,
        unwritten: unwritten.clone(),
    })
}

/// Keeps what mdBook logs as warnings and errors.
#[derive(Debug, Clone, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl<S: Subscriber> Layer<S> for Warnings {
    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        if *event.metadata().level() <= Level::WARN {
            let mut text = Text::default();
            event.record(&mut text);
            if let Ok(mut warnings) = self.0.lock() {
                warnings.push(text.0);
            }
        }
    }
}

#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        use std::fmt::Write as _;
        let _ = match field.name() {
            "message" => write!(self.0, "{value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}
