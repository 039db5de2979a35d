//! Which backend gets a connection.

use std::thread;
use std::time::Duration;

use crate::backend::Backend;
use crate::client::{answer, ask_all, ask_until};
use crate::matrix::Cell::{Has, NotAsked};
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::record::{DEADLINE, QUIET};

pub const ROWS: &[Row] = &[
    Row {
        name: "round_robin_takes_turns",
        says: "Round robin gives each backend its turn, in the order of the command line.",
        run: round_robin_takes_turns,
        cells: &[(1, NotAsked), (2, Has("abcabc"))],
    },
    Row {
        name: "weighted_is_smooth",
        says: "Weights 3 and 1 give three of four, and the one is not at the end of a burst.",
        run: weighted_is_smooth,
        cells: &[(1, NotAsked), (2, Has("aabaaaba"))],
    },
    Row {
        name: "random_has_no_pattern",
        says: "Random gives each of two backends about half of 400 clients, and often the same twice in a row.",
        run: random_has_no_pattern,
        cells: &[
            (1, NotAsked),
            (2, Has("about half for each; about half are repetitions")),
        ],
    },
    Row {
        name: "least_connections_fills_the_gap",
        says: "Six clients that stay are spread evenly, and three new ones go where three have left.",
        run: least_connections_fills_the_gap,
        cells: &[
            (1, NotAsked),
            (2, Has("three each; b loses three; then bbb")),
        ],
    },
    Row {
        name: "count_returns_however_it_ends",
        says: "A connection is no longer counted for its backend, whichever way it has ended.",
        run: count_returns_however_it_ends,
        cells: &[
            (1, NotAsked),
            (2, Has("client gone: a; backend gone: a; refused: a")),
        ],
    },
];

fn round_robin_takes_turns(phase: &Phase) -> String {
    let (a, b, c) = (
        Backend::naming("a"),
        Backend::naming("b"),
        Backend::naming("c"),
    );
    let proxy = phase
        .proxy()
        .flag("--balance", "round-robin")
        .backend(a.addr())
        .backend(b.addr())
        .backend(c.addr())
        .start();
    ask_all(proxy.addr(), 6)
}

fn weighted_is_smooth(phase: &Phase) -> String {
    let (a, b) = (Backend::naming("a"), Backend::naming("b"));
    let proxy = phase
        .proxy()
        .flag("--balance", "weighted")
        .backend(format_args!("{},weight=3", a.addr()))
        .backend(b.addr())
        .start();
    ask_all(proxy.addr(), 8)
}

fn random_has_no_pattern(phase: &Phase) -> String {
    let (a, b) = (Backend::naming("a"), Backend::naming("b"));
    let proxy = phase
        .proxy()
        .flag("--balance", "random")
        .backend(a.addr())
        .backend(b.addr())
        .start();

    let names = ask_all(proxy.addr(), 400).into_bytes();
    let of_a = names.iter().filter(|name| **name == b'a').count();
    let repeated = names.windows(2).filter(|pair| pair[0] == pair[1]).count();
    format!(
        "{} for each; {} are repetitions",
        about_half(of_a),
        about_half(repeated)
    )
}

/// Of 400 draws. Six standard deviations on each side: chance alone fails this test
/// once in 500 million runs.
fn about_half(count: usize) -> String {
    if (140..=260).contains(&count) {
        "about half".into()
    } else {
        format!("{count} of 400")
    }
}

fn least_connections_fills_the_gap(phase: &Phase) -> String {
    let (a, b) = (Backend::naming("a"), Backend::naming("b"));
    let proxy = phase
        .proxy()
        .flag("--balance", "least-connections")
        .backend(a.addr())
        .backend(b.addr())
        .start();
    let connect = || {
        let client = Peer::connect(proxy.addr());
        (answer(&client), client)
    };

    let clients: Vec<_> = (0..6).map(|_| connect()).collect();
    let (of_a, of_b): (Vec<_>, Vec<_>) = clients.into_iter().partition(|(name, _)| name == "a");
    let even = of_a.len() == of_b.len();
    drop(of_b);
    // The proxy passes the ends on, and has let go an instant later.
    b.saw()
        .wait(DEADLINE, |ended| (ended.len() >= 3).then_some(()));
    thread::sleep(QUIET);
    let newcomers: Vec<_> = (0..3).map(|_| connect()).collect();
    let newcomers: String = newcomers.iter().map(|(name, _)| name.as_str()).collect();

    format!(
        "{}; b loses three; then {newcomers}",
        if even { "three each" } else { "uneven" }
    )
}

/// Backend b has one client that stays, so a newcomer goes to a as long as nothing
/// is counted there. Each way to end is gone three times: a count that does not come
/// back would send the next newcomer to b.
fn count_returns_however_it_ends(phase: &Phase) -> String {
    // Says its name, or hangs up if it is told to.
    let mut a = Backend::start(|peer, _| match peer.hear(1)[..] {
        [b'?'] => {
            peer.say("a\n");
            peer.hear_all();
        }
        [b'!'] => peer.reset(),
        _ => (),
    });
    let b = Backend::naming("b");
    let proxy = phase
        .proxy()
        .flag("--balance", "least-connections")
        // No other backend is tried, and none is taken out.
        .flag("--attempts", 1)
        .flag("--fall", 1000)
        .backend(a.addr())
        .backend(b.addr())
        .start();
    let at_b = loop {
        let client = Peer::connect(proxy.addr());
        if answer(&client) == "b" {
            break client;
        }
        drop(client);
        thread::sleep(PAUSE);
    };
    thread::sleep(PAUSE);
    // A busy machine may take its time to notice the ends.
    let newcomer = || {
        let at_a = ask_until(proxy.addr(), Duration::from_secs(3), "a");
        thread::sleep(PAUSE);
        if at_a { "a" } else { "b" }
    };
    let thrice = |end: &dyn Fn()| {
        for _ in 0..3 {
            end();
            thread::sleep(PAUSE);
        }
    };

    thrice(&|| {
        let client = Peer::connect(proxy.addr());
        answer(&client);
        client.reset();
    });
    let client_gone = newcomer();

    thrice(&|| {
        Peer::connect(proxy.addr()).say("!").end_within(DEADLINE);
    });
    let backend_gone = newcomer();

    a.go_down();
    thrice(&|| {
        Peer::connect(proxy.addr()).end_within(DEADLINE);
    });
    a.come_back();
    let refused = newcomer();

    drop(at_b);
    format!("client gone: {client_gone}; backend gone: {backend_gone}; refused: {refused}")
}

/// Time for the proxy to notice that a connection has ended.
const PAUSE: Duration = Duration::from_millis(80);
