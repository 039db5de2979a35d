//! The builder against a hello that was written down by hand.

use super::*;

#[test]
fn hello_is_what_the_specification_lays_out() {
    let expected = "\
        1603010079010000750303000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e\
        1f20000000000000000000000000000000000000000000000000000000000000000000041301c02f0100\
        002800000012001000000d612e6578616d706c652e636f6d002b00050403040303001000050003026832";
    let hello = hello("a.example.com");
    let hex: String = hello.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(hex, expected);
}
