//! Every behaviour of the matrix, observed on this phase's program.

testkit::phase!("phase-13", env!("CARGO_BIN_EXE_phase-13"));
