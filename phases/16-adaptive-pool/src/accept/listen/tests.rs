use std::io::ErrorKind;
use std::iter;
use std::net::TcpStream;

use super::*;

fn any() -> ListenAddress {
    "127.0.0.1:0".parse().unwrap()
}

#[test]
fn each_worker_has_a_queue_of_its_own_at_the_same_address() {
    let listeners = any().open(3).unwrap();
    let addresses: Vec<_> = listeners
        .iter()
        .map(|l| l.socket.local_addr().unwrap())
        .collect();
    assert_eq!(addresses, [addresses[0]; 3]);

    // Three hundred lots that always fall on the same of three: never.
    let _clients: Vec<_> = (0..300)
        .map(|_| TcpStream::connect(addresses[0]).unwrap())
        .collect();
    for listener in &listeners {
        assert!(listener.socket.accept().is_ok());
    }
}

#[test]
fn nobody_else_gets_a_part_of_the_clients() {
    let listeners = any().open(2).unwrap();
    let mut taken = any();
    taken.address = listeners[0].socket.local_addr().unwrap();

    for count in [1, 2] {
        let error = taken.open(count).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AddrInUse);
    }
}

#[test]
fn options_of_a_place_hold_for_all_its_listeners() {
    let place: ListenAddress = "127.0.0.1:0,detect=off".parse().unwrap();
    let listeners = place.open(2).unwrap();
    assert!(listeners.iter().all(|l| l.detect == Detect::Off));
}

/// Why workers hand clients over: a hash is as good as drawing lots, and of eight lots
/// six or more fall on the same of two sides in 74 of 256 draws.
#[test]
fn of_eight_clients_six_often_fall_to_one_of_two_workers() {
    let listeners = any().open(2).unwrap();
    let address = listeners[0].socket.local_addr().unwrap();
    let accepted = |listener: &Listener| {
        let clients = iter::from_fn(|| listener.socket.accept().ok());
        clients.count()
    };

    let uneven = (0..200).filter(|_| {
        let _clients: Vec<_> = (0..8)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        let parts = [&listeners[0], &listeners[1]].map(accepted);
        assert_eq!(parts[0] + parts[1], 8);
        parts[0] >= 6 || parts[1] >= 6
    });
    // 58 is what to expect, give or take 6.
    assert!((20..100).contains(&uneven.count()));
}
