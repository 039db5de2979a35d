use super::{parse_netstat, parse_stat};

#[test]
fn idle_and_waiting_are_not_busy() {
    let (busy, stolen) = parse_stat("cpu  100 10 200 9999 50 1 2 30 0 0\ncpu0 1 1\n").unwrap();
    let ticks = rustix::param::clock_ticks_per_second() as f64;
    assert_eq!((busy * ticks, stolen * ticks), (313.0, 30.0));
}

#[test]
fn finds_a_counter_by_its_name() {
    let text = "TcpExt: SyncookiesSent ListenOverflows TCPTimeWaitOverflow\nTcpExt: 1 22 333\n\
        IpExt: InNoRoutes\nIpExt: 4\n";
    assert_eq!(parse_netstat(text, "ListenOverflows"), 22);
    assert_eq!(parse_netstat(text, "TCPTimeWaitOverflow"), 333);
    assert_eq!(parse_netstat(text, "InNoRoutes"), 4);
    assert_eq!(parse_netstat(text, "Unknown"), 0);
}
