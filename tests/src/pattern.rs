//! Bytes to send where it matters that each of them arrives.

/// Bytes that tell a lost, a doubled and a swapped piece from the right one.
pub fn pattern(size: usize, seed: u32) -> Vec<u8> {
    let mut state = seed;
    let bytes = (0..size).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    bytes.collect()
}

/// More than any buffer of a relay, and quick to send.
pub const MEBIBYTE: usize = 1024 * 1024;
