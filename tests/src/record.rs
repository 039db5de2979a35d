//! A list that one thread writes and another waits on.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What happened, in order: log lines, or what a backend saw.
#[derive(Debug)]
pub struct Record<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    items: Vec<T>,
    closed: bool,
}

impl<T> Record<T> {
    /// Nothing has happened yet.
    pub fn new() -> Self {
        Self {
            state: Mutex::new(State {
                items: Vec::new(),
                closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// Adds what happened, and wakes whoever waits.
    pub fn push(&self, item: T) {
        self.lock().items.push(item);
        self.changed.notify_all();
    }

    /// Says that nothing more will come, so nobody waits for it.
    pub fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Looks at everything so far.
    pub fn look<R>(&self, look: impl FnOnce(&[T]) -> R) -> R {
        look(&self.lock().items)
    }

    /// Waits for the first item, and takes it away.
    pub fn take(&self) -> Option<T> {
        self.wait(DEADLINE, |items| (!items.is_empty()).then_some(()))?;
        let items = &mut self.lock().items;
        (!items.is_empty()).then(|| items.remove(0))
    }

    /// How many items there are once no more have come for a while.
    pub fn settled(&self) -> usize {
        let mut count = self.look(<[T]>::len);
        while let Some(more) =
            self.wait(QUIET, |items| (items.len() > count).then_some(items.len()))
        {
            count = more;
        }
        count
    }

    /// Waits until `find` finds something, the record is closed, or the time is up.
    pub fn wait<R>(&self, within: Duration, find: impl Fn(&[T]) -> Option<R>) -> Option<R> {
        let deadline = Instant::now() + within;
        let mut state = self.lock();
        loop {
            if let Some(found) = find(&state.items) {
                return Some(found);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if state.closed || left.is_zero() {
                return None;
            }
            (state, _) = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A thread that panicked with the lock has still left a list that can be read.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Record<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// How long anything may take that takes milliseconds when all is well. It ends
/// a wait only when a test fails anyway, so it can be generous to a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(10);

/// Long enough for everything that was under way to arrive.
pub const QUIET: Duration = Duration::from_millis(300);
