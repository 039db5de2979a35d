use super::*;

const PAGE: &str = "\
# HELP a_total Words, then 1
# TYPE a_total counter
a_total{b=\"c d\"} 1
a_total{b=\"e\"} 2
# TYPE f histogram
f_bucket{le=\"0.5\"} 1
f_bucket{le=\"+Inf\"} 2
f_sum 0.75
f_count 2
";

#[test]
fn pages_add_up_series_by_series() {
    let other = "a_total{b=\"e\"} 40\nf_bucket{le=\"0.5\"} 3\nf_sum 1.5\n";
    let sum = add_up(PAGE, &[other.to_owned(), other.to_owned()]);

    let lines: Vec<_> = sum
        .lines()
        .zip(PAGE.lines())
        .filter(|(sum, own)| sum != own)
        .collect();
    assert_eq!(
        lines,
        [
            ("a_total{b=\"e\"} 82", "a_total{b=\"e\"} 2"),
            ("f_bucket{le=\"0.5\"} 7", "f_bucket{le=\"0.5\"} 1"),
            ("f_sum 3.75", "f_sum 0.75"),
        ]
    );
}

#[test]
fn a_page_alone_stays_as_it_is() {
    assert_eq!(add_up(PAGE, &[]), PAGE);
}
