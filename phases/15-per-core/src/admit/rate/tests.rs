use super::*;

fn buckets(per_second: u32, burst: u32, now: Instant) -> Buckets {
    let limit = RateLimit::PerSecond(NonZeroU32::new(per_second).unwrap());
    Buckets::new(limit, burst, now).unwrap()
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn a_rate_is_off_or_a_number_per_second() {
    assert_eq!("off".parse(), Ok(RateLimit::Off));
    assert_eq!(
        "5/s".parse(),
        Ok(RateLimit::PerSecond(NonZeroU32::new(5).unwrap()))
    );
    for text in ["", "5", "0/s", "-1/s", "5/m", "5 /s", "on"] {
        assert!(text.parse::<RateLimit>().is_err(), "{text}");
    }
}

#[test]
fn a_burst_is_allowed_and_then_the_rate_counts() {
    let start = Instant::now();
    let mut buckets = buckets(5, 3, start);
    let mut takes = |ms| buckets.take(ip("192.0.2.1"), start + Duration::from_millis(ms));

    assert!(takes(0) && takes(0) && takes(0));
    assert!(!takes(0));
    assert!(!takes(199));
    assert!(takes(200) && !takes(200));
    // However long the rest, the bucket holds no more than the burst.
    assert!(takes(60_000) && takes(60_000) && takes(60_000) && !takes(60_000));
}

#[test]
fn addresses_do_not_share_but_the_machines_of_an_ipv6_network_do() {
    let now = Instant::now();
    let mut buckets = buckets(1, 1, now);

    assert!(buckets.take(ip("192.0.2.1"), now));
    assert!(buckets.take(ip("192.0.2.2"), now));
    assert!(!buckets.take(ip("::ffff:192.0.2.1"), now));

    assert!(buckets.take(ip("2001:db8:0:1::1"), now));
    assert!(!buckets.take(ip("2001:db8:0:1:ffff::2"), now));
    assert!(buckets.take(ip("2001:db8:0:2::1"), now));
}

#[test]
fn an_address_is_remembered_until_its_bucket_is_full_again() {
    let start = Instant::now();
    let mut buckets = buckets(1, 10, start);
    for _ in 0..10 {
        assert!(buckets.take(ip("192.0.2.1"), start));
    }
    // A turn moves it to the old generation, where it still counts.
    assert!(buckets.take(ip("192.0.2.2"), start + Duration::from_secs(10)));
    assert!(buckets.old.contains_key(&ip("192.0.2.1")));

    // The next turn forgets it: it has had the time to fill.
    assert!(buckets.take(ip("192.0.2.2"), start + Duration::from_secs(20)));
    assert!(!buckets.old.contains_key(&ip("192.0.2.1")));
    assert!(!buckets.young.contains_key(&ip("192.0.2.1")));
}

#[test]
fn the_table_is_bounded() {
    let now = Instant::now();
    let mut buckets = buckets(1, 1000, now);
    for n in 0..u32::try_from(3 * GENERATION).unwrap() {
        assert!(buckets.take(IpAddr::from(n.to_be_bytes()), now));
        assert!(buckets.young.len() + buckets.old.len() <= 2 * GENERATION);
    }
}
