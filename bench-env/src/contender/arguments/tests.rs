use std::net::SocketAddr;
use std::time::Duration;

use super::{Addresses, arguments};
use crate::contender::{Contender, Kind};

fn line(contender: &Contender) -> String {
    let Kind::Phase(setup) = contender.kind else {
        panic!("{contender:?} is no phase");
    };
    let address = |port| SocketAddr::from(([127, 0, 0, 1], port));
    let addresses = Addresses {
        listen: address(1),
        metrics: address(2),
        backends: [address(7), address(8), address(9)],
    };
    arguments(&setup, &addresses)
        .join(" ")
        .replace("127.0.0.1", "")
}

#[test]
fn the_first_phases_know_few_flags() {
    assert_eq!(line(&Contender::phase(1)), "--listen :1 --backend :7");
    let three = "--listen :1 --backend :7 --backend :8 --backend :9";
    assert_eq!(line(&Contender::phase(2)), three);
    let limits = format!("{three} --max-connections 100000");
    assert_eq!(line(&Contender::phase(6)), limits);
    assert_eq!(
        line(&Contender::phase(7)),
        format!("{limits} --proxy-protocol v2")
    );
    let plain = format!("{limits} --metrics :2");
    assert_eq!(line(&Contender::plain_phase(8)), plain);
}

#[test]
fn a_peek_needs_a_route() {
    let peeking = line(&Contender::peeking_phase(12, Duration::from_millis(200)));
    assert!(
        peeking.ends_with("--sni bench.invalid=:7 --sni-peek-timeout 200ms"),
        "{peeking}"
    );
    assert!(!line(&Contender::phase(12)).contains("--sni"));
}

#[test]
fn tls_goes_by_its_name_only() {
    let tls = line(&Contender::tls_phase(12));
    assert!(
        tls.contains("--sni localhost=:7 --sni localhost=:8 --sni localhost=:9"),
        "{tls}"
    );
    assert!(tls.contains("--backend :1 "), "{tls}");
}
