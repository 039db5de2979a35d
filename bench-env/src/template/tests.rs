use super::fill;

#[test]
fn fills_every_place() {
    let values = [("a", "1".to_owned()), ("b", "2".to_owned())];
    assert_eq!(
        fill("{{a}} {{b}} {{a}} { c }", &values).unwrap(),
        "1 2 1 { c }"
    );
}

#[test]
fn reports_a_place_without_a_value() {
    let error = fill("listen {{port}};", &[]).unwrap_err().to_string();
    assert!(error.contains("{{port}}"), "{error}");
}
