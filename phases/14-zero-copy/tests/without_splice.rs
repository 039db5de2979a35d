//! Every behaviour of the matrix once more, without the pipe: it must make no difference.

testkit::phase!("phase-14", env!("CARGO_BIN_EXE_phase-14"), "--splice" "off");
