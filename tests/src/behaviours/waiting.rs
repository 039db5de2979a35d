//! Connections that wait for clients: how many, for how long, and at which backends.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use crate::backend::{self, Backend};
use crate::client::{answer, ask};
use crate::door::Blackhole;
use crate::matrix::Cell::{Flaw, Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::metrics::settles_at;
use crate::peer::{End, Peer};
use crate::phase::{Phase, Start};
use crate::program::Program;
use crate::record::{DEADLINE, QUIET};

pub const ROWS: &[Row] = &[
    Row {
        name: "pool_follows_the_load",
        says: "A burst that comes again and again finds enough waiting connections, and a quiet time gives them back.",
        run: pool_follows_the_load,
        cells: &[
            (1, NotAsked),
            (
                5,
                Flaw("fixed-pool", "for a burst of 12: 4; after a quiet time: 4"),
            ),
            (
                16,
                Has("for a burst of 12: more than 4; after a quiet time: 1"),
            ),
        ],
    },
    Row {
        name: "burst_does_not_stampede",
        says: "Beside the clients of a burst, who connect for themselves, one connection at a time is opened for the pool.",
        run: burst_does_not_stampede,
        cells: &[
            (1, NotAsked),
            (5, Has("for nobody: 1; for five clients: 6")),
        ],
    },
    Row {
        name: "end_of_a_waiting_connection_is_noticed",
        says: "Waiting connections that the backend closes or breaks off are replaced before anybody comes.",
        run: end_of_a_waiting_connection_is_noticed,
        cells: &[
            (1, NotAsked),
            (
                5,
                Lacks("closed: 0 of 3 replaced; broken off: 0 of 3 replaced"),
            ),
            (
                16,
                Has("closed: 3 of 3 replaced; broken off: 3 of 3 replaced"),
            ),
        ],
    },
    Row {
        name: "hanging_up_is_no_reason_to_hurry",
        says: "A backend that hangs up on each connection at once is not dialled as fast as the machine can.",
        run: hanging_up_is_no_reason_to_hurry,
        cells: &[(1, NotAsked), (5, Has("fewer than 50 in a second"))],
    },
    Row {
        name: "silent_drop_is_outlived",
        says: "A connection that has died without a sign is known by nothing but its age, and is closed before.",
        run: silent_drop_is_outlived,
        cells: &[
            (1, NotAsked),
            (5, Lacks("7 of 10 reach the backend")),
            (16, Has("10 of 10 reach the backend")),
        ],
    },
    Row {
        name: "nothing_waits_at_a_backend_that_is_down",
        says: "A backend that goes down gets its waiting connections back, and new ones wait when it is up again.",
        run: nothing_waits_at_a_backend_that_is_down,
        cells: &[
            (1, NotAsked),
            (5, Lacks("up: 3; down: 3; up again: 3")),
            (16, Has("up: 3; down: 0; up again: 3")),
        ],
    },
    Row {
        name: "nothing_waits_while_draining",
        says: "A proxy that is asked to leave gives back what waits, and finishes what is under way.",
        run: nothing_waits_while_draining,
        cells: &[
            (1, NotAsked),
            (11, Lacks("3 wait; the client is served")),
            (16, Has("0 wait; the client is served")),
        ],
    },
    Row {
        name: "pool_may_be_off_for_one_backend",
        says: "With `pool=off` nothing waits at a backend, however it is reached; a backend that speaks first then greets each client anew.",
        run: pool_may_be_off_for_one_backend,
        cells: &[
            (1, NotAsked),
            (
                16,
                Has("--backend: 0 wait, and a client is greeted; --sni: 0 wait; others: 2 wait"),
            ),
        ],
    },
    Row {
        name: "pool_events_are_counted",
        says: "The metrics tell what becomes of clients and of waiting connections.",
        run: pool_events_are_counted,
        cells: &[
            (1, NotAsked),
            (8, Lacks("hit none; miss none; stale none; expired none")),
            (16, Has("hit 1; miss 1; stale 1; expired 1")),
        ],
    },
];

fn pooled(phase: &Phase, size: usize) -> Start<'_> {
    phase.proxy().flag("--workers", 1).flag("--pool-size", size)
}

/// How many connections the backend has that have not ended: `wanted`, if that comes.
fn open<T: Send + 'static>(backend: &Backend<T>, wanted: usize) -> usize {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let ended = backend.saw().look(<[T]>::len);
        let open = backend.accepted() - ended;
        if open == wanted || Instant::now() >= deadline {
            return open;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn pool_follows_the_load(phase: &Phase) -> String {
    const BURST: usize = 12;
    let follows = phase.knows("--pool-max-idle");
    let backend = Backend::start(|peer, number| backend::answer(&peer, &number.to_string()));
    let proxy = phase
        .proxy()
        .flag("--workers", 1)
        .flag("--pool-size", if follows { "auto" } else { "4" })
        .flag("--pool-max-idle", "2s")
        .backend(backend.addr())
        .start();

    let mut found = 0;
    for _ in 0..3 {
        backend.wait_accepted(1);
        let waiting = backend.settled();
        let numbers = burst(&proxy, BURST);
        found = numbers.filter(|&number| number < waiting).count();
    }
    let found = match found {
        5.. => "more than 4".into(),
        few => few.to_string(),
    };

    let quiet = if follows { 1 } else { 4 };
    let left = open(&backend, quiet);
    format!("for a burst of {BURST}: {found}; after a quiet time: {left}")
}

/// The numbers of the connections that clients get who come at the same moment.
fn burst(proxy: &Program, size: usize) -> impl Iterator<Item = usize> {
    // They queue while the program stands still.
    proxy.hold_still();
    let clients: Vec<_> = (0..size).map(|_| Peer::connect(proxy.addr())).collect();
    proxy.go_on();
    let answers = clients.into_iter().map(|client| answer(&client));
    answers.filter_map(|number| number.parse().ok())
}

fn burst_does_not_stampede(phase: &Phase) -> String {
    // Its handshakes do not end, so that they can be counted.
    let hole = Blackhole::open();
    let proxy = pooled(phase, 8)
        .flag("--connect-timeout", "100s")
        .backend(hole.addr())
        .start();

    let alone = handshakes(&proxy, hole.addr(), 1);
    let clients: Vec<_> = (0..5).map(|_| Peer::connect(proxy.addr())).collect();
    let beside = handshakes(&proxy, hole.addr(), 6);
    drop(clients);
    format!("for nobody: {alone}; for five clients: {beside}")
}

/// How many connections are being opened to `addr`, once there are `least` and no more
/// have come for a while.
fn handshakes(proxy: &Program, addr: SocketAddr, least: usize) -> usize {
    const SYN_SENT: &str = "02";
    const PAUSE: Duration = Duration::from_millis(50);
    // The kernel reads its table out in pieces: while others come and go, a line can be
    // there twice, or be left out once. Each socket has an address of its own.
    let mut seen = HashSet::new();
    let mut look = || {
        let table = std::fs::read_to_string("/proc/net/tcp").expect("the kernel lists sockets");
        // A socket that another process was born with is not the program's.
        let sockets = proxy.sockets();
        let port = format!(":{:04X}", addr.port());
        // Thousands of connections that are over stand there, too.
        for line in table.lines().filter(|line| line.contains(&port)) {
            // Number, own address, the other's, state, … inode: proc_pid_net(5).
            let words: Vec<_> = line.split_whitespace().take(10).collect();
            if let [_, own, other, SYN_SENT, .., inode] = words[..]
                && other.ends_with(&port)
                && sockets.contains(inode)
            {
                seen.insert(own.to_owned());
            }
        }
        seen.len()
    };

    let deadline = Instant::now() + DEADLINE;
    while look() < least && Instant::now() < deadline {
        thread::sleep(PAUSE);
    }
    let quiet = Instant::now() + QUIET;
    while Instant::now() < quiet {
        thread::sleep(PAUSE);
        look();
    }
    seen.len()
}

fn end_of_a_waiting_connection_is_noticed(phase: &Phase) -> String {
    let closed = replaced(phase, drop);
    let broken = replaced(phase, Peer::reset);
    format!("closed: {closed}; broken off: {broken}")
}

fn replaced(phase: &Phase, end: fn(Peer)) -> String {
    const WAITING: usize = 3;
    let backend = Backend::start(|peer, _| peer);
    let _proxy = pooled(phase, WAITING).backend(backend.addr()).start();

    // A reset in the middle of a handshake would be a failed dial, which any pool repeats.
    let peers: Vec<_> = (0..WAITING).map(|_| backend.next()).collect();
    backend.settled();
    peers.into_iter().for_each(end);

    let replaces = phase.knows("--pool-max-idle");
    backend.wait_accepted(if replaces { 2 * WAITING } else { WAITING });
    let replaced = backend.settled() - WAITING;
    format!("{replaced} of {WAITING} replaced")
}

fn hanging_up_is_no_reason_to_hurry(phase: &Phase) -> String {
    let backend = Backend::hanging_up();
    let proxy = pooled(phase, 4).backend(backend.addr()).start();
    proxy.addr();
    // A busy machine dials less, not more.
    thread::sleep(Duration::from_secs(1));
    match backend.accepted() {
        0 => "none in a second".into(),
        1..50 => "fewer than 50 in a second".into(),
        many => format!("{many} in a second"),
    }
}

/// As behind a firewall that forgets a connection on which nothing happens: nobody is
/// told, and what is sent later is dropped.
fn silent_drop_is_outlived(phase: &Phase) -> String {
    const PATIENCE: Duration = Duration::from_millis(1500);
    const CLIENTS: usize = 10;
    let backend = Backend::start(|peer, _| {
        let start = Instant::now();
        let asked = peer.hear(1) == b"?";
        asked.then(|| start.elapsed() < PATIENCE)
    });
    let proxy = pooled(phase, 3)
        .flag("--pool-max-idle", "300ms")
        .backend(backend.addr())
        .start();
    backend.wait_accepted(3);
    thread::sleep(PATIENCE + QUIET);

    let clients: Vec<_> = (0..CLIENTS).map(|_| Peer::connect(proxy.addr())).collect();
    for client in &clients {
        client.say("?");
    }
    let heard = backend.saw().wait(DEADLINE, |all| {
        let asked: Vec<_> = all.iter().copied().flatten().collect();
        (asked.len() == CLIENTS).then_some(asked)
    });
    let reached = heard.map_or(0, |all| all.into_iter().filter(|&in_time| in_time).count());
    format!("{reached} of {CLIENTS} reach the backend")
}

fn nothing_waits_at_a_backend_that_is_down(phase: &Phase) -> String {
    // The checks are connections, too, but end at once.
    let mut backend = Backend::silent();
    let name = backend.addr().to_string();
    let proxy = pooled(phase, 3)
        .flag("--health-interval", "50ms")
        .flag("--rise", 2)
        .flag("--fall", 2)
        .backend(backend.addr())
        .start();
    let up = open(&backend, 3);

    backend.go_down();
    proxy.wait_log(&[&name, "is down"]);
    let emptied = if phase.knows("--pool-max-idle") { 0 } else { 3 };
    let down = open(&backend, emptied);

    backend.come_back();
    proxy.wait_log(&[&name, "is up"]);
    let back = open(&backend, 3);
    format!("up: {up}; down: {down}; up again: {back}")
}

fn nothing_waits_while_draining(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = pooled(phase, 3).backend(backend.addr()).start();
    let client = Peer::connect(proxy.addr());
    let first = answer(&client);
    // The client's own, and those that wait.
    let before = open(&backend, 4);

    proxy.terminate();
    proxy.wait_log(&["draining"]);
    let emptied = if phase.knows("--pool-max-idle") { 1 } else { 4 };
    let left = open(&backend, emptied);
    let served = first == "a" && before == 4 && client.finish().end_within(DEADLINE) == End::Closed;
    format!(
        "{} wait; the client is {}",
        left.saturating_sub(1),
        if served { "served" } else { "lost" }
    )
}

fn pool_may_be_off_for_one_backend(phase: &Phase) -> String {
    let greeter = Backend::start(|peer, _| {
        peer.say("220 hello\n");
        peer.hear_all();
    });
    let (named, other) = (Backend::silent(), Backend::silent());
    let proxy = pooled(phase, 2)
        .backend(format!("{},pool=off", greeter.addr()))
        .repeat(
            "--sni",
            format!("a.example.com={},weight=2,pool=off", named.addr()),
        )
        .repeat("--sni", format!("b.example.com={}", other.addr()))
        .flag("--sni-peek-timeout", "100ms")
        .start();
    other.wait_accepted(2);

    let waiting = [&greeter, &named, &other].map(Backend::settled);
    let greeting = Peer::connect(proxy.addr()).hear_line(DEADLINE);
    let greeted = greeting.is_ok_and(|line| line == "220 hello");
    format!(
        "--backend: {} wait, and a client is {}; --sni: {} wait; others: {} wait",
        waiting[0],
        if greeted { "greeted" } else { "not greeted" },
        waiting[1],
        waiting[2]
    )
}

fn pool_events_are_counted(phase: &Phase) -> String {
    let (hit, miss, stale) = with_one_that_ends(phase);
    let expired = with_one_that_gets_too_old(phase);
    format!("hit {hit}; miss {miss}; stale {stale}; expired {expired}")
}

fn with_one_that_ends(phase: &Phase) -> (String, String, String) {
    // The first connection ends while it waits, and another one takes its place.
    let mut backend = Backend::start(|peer, number| {
        if number > 0 {
            backend::answer(&peer, "a");
        }
    });
    let proxy = pooled(phase, 1)
        .flag("--metrics", "127.0.0.1:0")
        .backend(backend.addr())
        .start();
    let name = backend.addr();
    let stale = counted(phase, &proxy, name, "stale");
    let idle = format!("tcpproxy_pool_idle_connections{{backend=\"{name}\"}}");
    settles_at(&proxy, &idle, 1);

    // The first client gets it, and there is no other for the second.
    backend.go_down();
    ask(proxy.addr());
    ask(proxy.addr());
    let hit = counted(phase, &proxy, name, "hit");
    (hit, counted(phase, &proxy, name, "miss"), stale)
}

fn with_one_that_gets_too_old(phase: &Phase) -> String {
    let mut backend = Backend::silent();
    let proxy = pooled(phase, 1)
        .flag("--pool-max-idle", "1s")
        .flag("--metrics", "127.0.0.1:0")
        .backend(backend.addr())
        .start();
    backend.wait_accepted(1);
    backend.go_down();
    counted(phase, &proxy, backend.addr(), "expired")
}

/// How often something has happened: once, if that comes.
fn counted(phase: &Phase, proxy: &Program, backend: SocketAddr, event: &str) -> String {
    let wanted = if phase.knows("--pool-max-idle") {
        "1"
    } else {
        "none"
    };
    let labels = format!("backend=\"{backend}\",event=\"{event}\"");
    settles_at(
        proxy,
        &format!("tcpproxy_pool_events_total{{{labels}}}"),
        wanted,
    )
}
