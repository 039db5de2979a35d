use super::Figure;

#[test]
fn values_carry_the_unit_that_suits_them() {
    let shown = [
        (Figure::RequestsPerSecond, 1_234_567.8, "1,234,568"),
        (Figure::RequestsPerSecond, 999.0, "999"),
        (Figure::RssGrowthKib, -2048.0, "-2.0 MiB"),
        (Figure::RssKib, 512.0, "512 KiB"),
        (Figure::BytesPerSecond, 1.5e9, "1.50 GB"),
        (Figure::P99Micros, 850.0, "850 µs"),
        (Figure::P99Micros, 12_345.0, "12.35 ms"),
        (Figure::AddedP50Micros, -3.0, "-3 µs"),
        (Figure::Cores, 1.754, "1.75"),
        (Figure::BytesPerConnection, 2438.0, "2,438 B"),
    ];
    for (figure, value, text) in shown {
        assert_eq!(figure.show(value), text);
    }
}
