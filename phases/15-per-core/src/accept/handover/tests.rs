use tokio::net::TcpListener;

use super::*;

/// A listener, and the two members of a team.
async fn scene() -> (TcpListener, [(Team, Inbox); 2], [Arc<Load>; 2]) {
    let loads = [Arc::default(), Arc::default()];
    let (accepting, _) = mpsc::channel(1);
    let team: Vec<_> = Team::new(&loads, accepting).collect();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    (listener, team.try_into().unwrap(), loads)
}

/// Lets a worker accept a client. The place is there if the worker keeps it.
async fn accept(listener: &TcpListener, team: &Team) -> Option<Seat> {
    let _client = TcpStream::connect(listener.local_addr().unwrap()).await;
    let (client, peer) = listener.accept().await.unwrap();
    let placed = team.place(client, peer, Detect::Off).unwrap();
    placed.map(|(_, seat)| seat)
}

#[tokio::test]
async fn eight_clients_are_four_and_four_whoever_accepts_them() {
    let (listener, [(first, _), (_, mut inbox)], loads) = scene().await;
    let mut seats = Vec::new();
    for _ in 0..8 {
        seats.extend(accept(&listener, &first).await);
    }

    assert_eq!((loads[0].get(), loads[1].get()), (4, 4));
    let mut given = Vec::new();
    while let Ok(handover) = inbox.try_recv() {
        given.push(handover);
    }
    assert_eq!(given.len(), 4);

    drop((seats, given));
    assert_eq!((loads[0].get(), loads[1].get()), (0, 0));
}

#[tokio::test]
async fn among_many_an_eighth_more_is_kept() {
    let (listener, [(first, _), (second, _inbox)], loads) = scene().await;
    let mut seats = Vec::new();
    for _ in 0..80 {
        seats.extend(accept(&listener, &second).await);
        seats.extend(accept(&listener, &first).await);
    }
    assert_eq!((loads[0].get(), loads[1].get()), (80, 80));

    for _ in 0..11 {
        seats.push(accept(&listener, &first).await.unwrap());
    }
    assert!(accept(&listener, &first).await.is_none());
    assert_eq!(loads[0].get(), 91);
}

#[tokio::test]
async fn inboxes_end_when_nobody_accepts_any_more() {
    let (listener, [(first, mut own), (second, mut other)], _loads) = scene().await;
    let _seat = accept(&listener, &first).await.unwrap();
    assert!(accept(&listener, &first).await.is_none());

    drop(first);
    assert!(own.try_recv().is_err());
    drop(second);
    assert!(own.recv().await.is_none());
    // What was on its way is not lost.
    assert!(other.recv().await.is_some());
    assert!(other.recv().await.is_none());
}
