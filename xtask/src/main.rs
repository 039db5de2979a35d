//! Keeps the phases from drifting apart.
fn main() {}
