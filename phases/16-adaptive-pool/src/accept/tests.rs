use std::net::TcpStream as Client;

use prometheus::Opts;

use super::*;

async fn acceptor() -> (Acceptor, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let errors = IntCounterVec::new(Opts::new("errors", "of accept"), &["kind"]).unwrap();
    (Acceptor::new(listener, errors), address)
}

/// The runtime gets no turn between the connects and the close, so it cannot know of
/// anybody: all come from the queue.
#[tokio::test]
async fn who_is_in_the_queue_is_not_lost_when_it_closes() {
    let (acceptor, address) = acceptor().await;
    let clients: Vec<_> = (0..20).map(|_| Client::connect(address).unwrap()).collect();

    let queued = acceptor.close();
    let peers: Vec<_> = queued.iter().map(|(_, peer)| *peer).collect();
    let wanted: Vec<_> = clients.iter().map(|c| c.local_addr().unwrap()).collect();
    assert_eq!(peers, wanted);
    assert!(queued.iter().all(|(client, _)| client.nodelay().unwrap()));
    assert!(Client::connect(address).is_err());
}

#[tokio::test]
async fn an_empty_queue_closes_at_once() {
    let (acceptor, _) = acceptor().await;
    assert!(acceptor.close().is_empty());
}

#[test]
fn an_error_of_one_client_is_no_reason_to_pause() {
    let of_one_client = [
        Errno::CONNABORTED,
        Errno::PROTO,
        Errno::NOPROTOOPT,
        Errno::HOSTDOWN,
        Errno::NONET,
        Errno::HOSTUNREACH,
        Errno::OPNOTSUPP,
        Errno::NETUNREACH,
        Errno::NETDOWN,
    ];
    let lasting = [
        Errno::MFILE,
        Errno::NFILE,
        Errno::NOBUFS,
        Errno::NOMEM,
        Errno::PERM,
    ];

    for errno in of_one_client {
        assert!(concerns_one_client(&errno.into()), "{errno}");
    }
    for errno in lasting {
        assert!(!concerns_one_client(&errno.into()), "{errno}");
    }
}
