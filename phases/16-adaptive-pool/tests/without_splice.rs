//! Every behaviour of the matrix once more, without the pipe: it must make no difference.

testkit::phase!("phase-16", env!("CARGO_BIN_EXE_phase-16"), "--splice" "off");
