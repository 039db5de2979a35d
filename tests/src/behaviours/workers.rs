//! Several threads that each have clients of their own, and are one program.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::backend::Backend;
use crate::client::{answer, ask_all};
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::metrics::{Page, settles_at};
use crate::peer::Peer;
use crate::phase::{Phase, Start};
use crate::program::Program;
use crate::record::DEADLINE;

pub const ROWS: &[Row] = &[
    Row {
        name: "each_worker_listens",
        says: "Each of three workers has a listener of its own, at the same address.",
        run: each_worker_listens,
        cells: &[(1, Lacks("1 listener")), (15, Has("3 listeners"))],
    },
    Row {
        name: "program_started_twice",
        says: "Listeners of one program share an address, but a second program does not get it, nor any of the clients.",
        run: program_started_twice,
        cells: &[(1, Has("exit code 1; then aaaaaaaa"))],
    },
    Row {
        name: "workers_without_descriptors",
        says: "Where the descriptors are too few for the listeners of all workers, the error at the start names both.",
        run: workers_without_descriptors,
        cells: &[
            (1, NotAsked),
            (15, Has("exit code 1; names the cause, --workers, ulimit")),
        ],
    },
    Row {
        name: "clients_stay_with_a_thread",
        says: "A client is served by one thread: the others do nothing for it.",
        run: clients_stay_with_a_thread,
        cells: &[
            (1, NotAsked),
            (15, Has("one worker works, the other rests")),
        ],
    },
    Row {
        name: "no_worker_idles_while_another_is_full",
        says: "Eight clients are four for each of two workers, and when one worker has lost its four, it gets the next four.",
        run: no_worker_idles_while_another_is_full,
        cells: &[(1, NotAsked), (15, Has("4 and 4; 0 and 4; 4 and 4"))],
    },
    Row {
        name: "counters_are_of_all_workers",
        says: "The page tells what all workers have counted together.",
        run: counters_are_of_all_workers,
        cells: &[
            (1, NotAsked),
            (
                8,
                Has("20 clients: 20 active, 2000 bytes; then 20 ended, 20 durations, 1 backend up"),
            ),
        ],
    },
    Row {
        name: "queued_clients_are_served",
        says: "Clients that are still in the queue of a listener when the signal comes are served like the others.",
        run: queued_clients_are_served,
        // Before, it is a matter of chance how many of them are lost.
        cells: &[
            (1, NotAsked),
            (15, Has("draining 20; 20 of 20 served; exit code 0")),
        ],
    },
    Row {
        name: "signal_in_a_storm",
        says: "When the signal comes while clients connect as fast as they can, all that have reached a backend hear its answer.",
        run: signal_in_a_storm,
        cells: &[(1, NotAsked), (11, Has("0 answers are lost; exit code 0"))],
    },
];

fn each_worker_listens(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase
        .proxy()
        .flag("--workers", 3)
        .backend(backend.addr())
        .start();
    match listeners(proxy.addr()) {
        1 => "1 listener".into(),
        count => format!("{count} listeners"),
    }
}

/// How many sockets listen at this address, by the kernel's table: the second column is
/// the address in hexadecimal, the fourth the state, and `0A` is LISTEN.
fn listeners(addr: SocketAddr) -> usize {
    let table = fs::read_to_string("/proc/net/tcp").expect("this is Linux");
    let port = format!(":{:04X}", addr.port());
    let listens = |line: &&str| {
        let mut columns = line.split_whitespace().skip(1);
        columns.next().is_some_and(|local| local.ends_with(&port)) && columns.nth(1) == Some("0A")
    };
    // Thousands of connections that are over stand there, too.
    let lines = table.lines().filter(|line| line.contains(&port));
    lines.filter(listens).count()
}

fn program_started_twice(phase: &Phase) -> String {
    let (a, b) = (Backend::naming("a"), Backend::naming("b"));
    let first = phase.proxy().backend(a.addr()).start();
    let mut second = phase
        .proxy()
        .flag("--listen", first.addr())
        .backend(b.addr())
        .start();
    let code = exit(&mut second);
    format!("{code}; then {}", ask_all(first.addr(), 8))
}

fn workers_without_descriptors(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let start = phase.proxy().backend(backend.addr());
    let mut proxy = start.flag("--workers", 100).descriptors(64, 64).start();

    let (code, text) = proxy.wait_end();
    let parts = [
        ("Too many open files", "the cause"),
        ("fewer --workers", "--workers"),
        ("ulimit", "ulimit"),
    ];
    let named = parts.iter().filter(|(part, _)| text.contains(part));
    let named: Vec<_> = named.map(|(_, name)| *name).collect();
    format!(
        "exit code {}; names {}",
        code.map_or("none".into(), |code| code.to_string()),
        named.join(", ")
    )
}

fn clients_stay_with_a_thread(phase: &Phase) -> String {
    let (proxy, client, server) = phase.proxy().dialogue();
    let start = Instant::now();
    loop {
        for _ in 0..200 {
            client.say("?");
            server.hear(1);
            server.say("!");
            client.hear(1);
        }

        let threads = proxy.threads();
        let workers = threads
            .iter()
            .filter(|(name, _)| name.starts_with("worker-"));
        let mut times: Vec<_> = workers.map(|(_, time)| *time).collect();
        times.sort();
        match times[..] {
            [rests, works] if works >= ENOUGH && rests < works / 5 => {
                return "one worker works, the other rests".into();
            }
            [_, works] if works < ENOUGH && start.elapsed() < DEADLINE => {}
            _ => return format!("the workers have worked for {times:?}"),
        }
    }
}

fn no_worker_idles_while_another_is_full(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = counted(phase, &backend).start();
    let loads = || {
        let page = Page::read(&proxy);
        [1, 2].map(|worker| page.value(&active_at(worker)))
    };

    // Who of them is at which worker is seen by what each one changes.
    let mut clients = [Vec::new(), Vec::new()];
    let come = |count: usize, clients: &mut [Vec<Peer>; 2]| {
        for _ in 0..count {
            let before = loads();
            let client = Peer::connect(proxy.addr());
            answer(&client);
            let worker = usize::from(loads()[0] == before[0]);
            clients[worker].push(client);
        }
        loads().join(" and ")
    };

    let eight = come(8, &mut clients);
    clients[0].clear();
    settles_at(&proxy, &active_at(1), 0);
    let four = loads().join(" and ");
    format!("{eight}; {four}; {}", come(4, &mut clients))
}

fn active_at(worker: usize) -> String {
    format!("tcpproxy_worker_connections_active{{worker=\"{worker}\"}}")
}

fn counters_are_of_all_workers(phase: &Phase) -> String {
    const CLIENTS: usize = 20;
    let backend = Backend::start(|peer, _| {
        peer.hear(100);
        peer.say("!");
        peer.hear_all();
    });
    let proxy = counted(phase, &backend).start();
    let value = |name: &str| Page::read(&proxy).value(&format!("tcpproxy_{name}"));

    let clients: Vec<_> = (0..CLIENTS).map(|_| Peer::connect(proxy.addr())).collect();
    for client in &clients {
        client.say([b'.'; 100]).hear(1);
    }
    let [total, active, bytes] = [
        "connections_total",
        "connections_active",
        "bytes_total{direction=\"client_to_backend\"}",
    ]
    .map(value);

    drop(clients);
    settles_at(&proxy, "tcpproxy_connections_active", 0);
    let [ended, durations] = [
        "closed_total{cause=\"--\"}",
        "session_duration_seconds_count",
    ]
    .map(value);
    let up = Page::read(&proxy).sum("tcpproxy_backend_up");
    format!(
        "{total} clients: {active} active, {bytes} bytes; then {ended} ended, {durations} durations, {up} backend up"
    )
}

fn queued_clients_are_served(phase: &Phase) -> String {
    const CLIENTS: usize = 20;
    let backend = Backend::naming("a");
    let mut proxy = phase.proxy().backend(backend.addr()).start();
    let addr = proxy.addr();

    proxy.hold_still();
    let clients: Vec<_> = (0..CLIENTS).map(|_| Peer::connect(addr)).collect();
    proxy.terminate();
    proxy.go_on();

    let line = proxy.find_log(&["draining"]).unwrap_or_default();
    let draining = line.split("draining ").nth(1);
    let draining = draining.and_then(|rest| rest.split(' ').next());
    let served = clients
        .iter()
        .filter(|client| answer(client) == "a")
        .count();
    drop(clients);
    format!(
        "draining {}; {served} of {CLIENTS} served; {}",
        draining.unwrap_or("nobody"),
        exit(&mut proxy)
    )
}

fn signal_in_a_storm(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let mut proxy = phase.proxy().backend(backend.addr()).start();
    let addr = proxy.addr();
    let answers = AtomicUsize::new(0);

    let code = thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                // Until nobody listens any more. A client that the kernel has accepted in
                // the last moment may be reset, but then no backend has heard of it.
                while let Ok(stream) = TcpStream::connect(addr) {
                    if answer(&Peer::new(stream)) == "a" {
                        answers.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        backend.wait_accepted(100);
        proxy.terminate();
        exit(&mut proxy)
    });

    let lost = backend.accepted() - answers.into_inner();
    format!("{lost} answers are lost; {code}")
}

fn counted<'a>(phase: &'a Phase, backend: &Backend) -> Start<'a> {
    let start = phase.proxy().flag("--metrics", "127.0.0.1:0");
    start.backend(backend.addr())
}

fn exit(proxy: &mut Program) -> String {
    let code = proxy.wait_exit().code();
    code.map_or("killed by the signal".into(), |code| {
        format!("exit code {code}")
    })
}

/// Ten ticks of the clock that says how long a thread has worked.
const ENOUGH: Duration = Duration::from_millis(100);
