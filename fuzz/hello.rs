//! The first bytes of a client, as bad as they can be: no panic, and the same answer
//! whether they come at once or byte by byte.

#![no_main]

#[path = "../tests/src/pieces.rs"]
mod pieces;

use libfuzzer_sys::fuzz_target;
use phase_13::identify::hello::{Answer, Reader};

fuzz_target!(|bytes: &[u8]| {
    pieces::answer(bytes, &Answer::NeedMore, || {
        let mut reader = Reader::default();
        move |bytes: &[u8]| reader.read(bytes)
    });
});
