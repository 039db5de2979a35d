//! Drives a phase's program and says what is right for it at that step.
