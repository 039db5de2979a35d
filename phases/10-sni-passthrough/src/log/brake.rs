//! What any stranger can cause as often as it likes must not fill the disk.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::sleep;
use tracing::warn;

/// Lets the first lines of each second through, and counts the rest.
#[derive(Debug, Default)]
pub struct Brake(AtomicU64);

impl Brake {
    /// Whether one more refused client gets its line.
    pub fn lets_through(self: &Arc<Self>) -> bool {
        let before = self.0.fetch_add(1, Ordering::Relaxed);
        if before == 0 {
            tokio::spawn(Arc::clone(self).end_of_second());
        }
        before < MOST
    }

    async fn end_of_second(self: Arc<Self>) {
        sleep(Duration::from_secs(1)).await;

        let refused = self.0.swap(0, Ordering::Relaxed);
        if refused > MOST {
            warn!("{} more client(s) were refused", refused - MOST);
        }
    }
}

/// Lines in a second. Enough to see who is refused and why, and a megabyte in a quarter
/// of an hour, however many come.
const MOST: u64 = 10;
