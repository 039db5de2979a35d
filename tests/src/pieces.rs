//! What has to hold for whoever reads a message that comes in pieces.
//!
//! A file of its own, because the fuzz target of `fuzz/` includes it.

use std::fmt::Debug;

/// Gives `bytes` to one reader at once and to another byte by byte, and returns their
/// answer. Both have to give the same, so an answer does not change with what comes
/// after it. A reader gets all bytes so far, from the first one on.
pub fn answer<A, R>(bytes: &[u8], undecided: &A, reader: impl Fn() -> R) -> A
where
    A: PartialEq + Debug,
    R: FnMut(&[u8]) -> A,
{
    let at_once = reader()(bytes);

    let mut reader = reader();
    let by_byte = (1..=bytes.len())
        .map(|end| reader(&bytes[..end]))
        .find(|answer| answer != undecided);
    assert_eq!(by_byte.as_ref().unwrap_or(undecided), &at_once);
    at_once
}
