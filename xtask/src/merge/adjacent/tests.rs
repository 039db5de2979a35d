use super::settle;

#[test]
fn an_addition_and_a_correction_are_both_kept() {
    assert_eq!(settled("a\n+\n", "a\n", "b\n").as_deref(), Some("b\n+\n"));
    assert_eq!(settled("b\n", "a\n", "+\na\n").as_deref(), Some("+\nb\n"));
    assert_eq!(
        settled("+\na\n", "a\n", "a\n-\n").as_deref(),
        Some("+\na\n-\n")
    );
}

#[test]
fn what_could_go_two_ways_is_left_alone() {
    for (ours, base, theirs) in [
        // Both correct the same line.
        ("b\n", "a\n", "c\n"),
        // Both add below, or above, or where nothing was.
        ("a\n+\n", "a\n", "a\n-\n"),
        ("+\na\n", "a\n", "-\na\n"),
        ("+\n", "", "-\n"),
        // One removes what the other adds to.
        ("a\n+\n", "a\n", ""),
        ("", "a\n", "a\n+\n"),
        // It is not clear which line is the corrected one.
        ("a\n+\na\n", "a\n", "b\n"),
        // The line is only the end of another.
        ("+a\n", "a\n", "b\n"),
    ] {
        assert_eq!(
            settled(ours, base, theirs),
            None,
            "{ours:?} {base:?} {theirs:?}"
        );
    }
}

#[test]
fn conflicts_are_settled_one_by_one() {
    let (settleable, open) = (marked("a\n+\n", "a\n", "b\n"), marked("b\n", "a\n", "c\n"));
    let merged = format!("1\n{settleable}2\n{open}3\n{settleable}4\n");

    assert_eq!(
        settle(&merged, LABELS),
        (format!("1\nb\n+\n2\n{open}3\nb\n+\n4\n"), true)
    );
}

#[test]
fn a_line_that_ends_like_a_marker_is_no_marker() {
    let settled = settled("// =======\n+\n", "// =======\n", "// ===\n");

    assert_eq!(settled.as_deref(), Some("// ===\n+\n"));
}

const LABELS: [&str; 3] = ["phase 02", "phase 01 before", "phase 01 after"];

fn settled(ours: &str, base: &str, theirs: &str) -> Option<String> {
    let merged = marked(ours, base, theirs);
    let (settled, conflict) = settle(&merged, LABELS);
    assert_eq!(conflict, settled == merged);
    (!conflict).then_some(settled)
}

fn marked(ours: &str, base: &str, theirs: &str) -> String {
    let [o, b, t] = LABELS;
    format!("<<<<<<< {o}\n{ours}||||||| {b}\n{base}=======\n{theirs}>>>>>>> {t}\n")
}
