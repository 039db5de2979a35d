use super::{Memory, parse_smaps_rollup, parse_stat};

/// A name that tries to look like the fields that follow it.
const STAT: &str = "4711 (a) R 1 (b) S 1 4711 4711 0 -1 4194560 1 0 0 0 \
    250 50 9 9 20 0 3 0 123456 10000 200 18446744073709551615 1 1 0 0 0\n";

#[test]
fn adds_user_and_system_time() {
    let stat = parse_stat(STAT, 100).unwrap();
    assert_eq!((stat.cpu_seconds, stat.start_time), (3.0, 123_456));
}

#[test]
fn a_cut_line_is_no_answer() {
    assert!(parse_stat("4711 (a) S 1 2 3", 100).is_none());
    assert!(parse_stat("", 100).is_none());
}

#[test]
fn tells_rss_from_pss() {
    let text = "5563 ---p 00000000 00:00 0    [rollup]\n\
        Rss:                5512 kB\nPss:                1320 kB\nPss_Dirty:           900 kB\n";
    let memory = Memory {
        rss_kib: 5512,
        pss_kib: 1320,
    };
    assert_eq!(parse_smaps_rollup(text), Some(memory));
    assert_eq!(parse_smaps_rollup("Rss: much\n"), None);
}
