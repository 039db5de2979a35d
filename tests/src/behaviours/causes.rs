//! Why a connection ended: who ended it, and at which station. The log and the
//! metrics have to say the same.

use std::thread;

use crate::backend::Backend;
use crate::client::answer;
use crate::door::{Blackhole, Door};
use crate::matrix::Cell::{Has, NotAsked};
use crate::matrix::Row;
use crate::metrics::{Page, settles_at};
use crate::peer::Peer;
use crate::phase::{Phase, Start};
use crate::program::Program;
use crate::record::{DEADLINE, QUIET};

pub const ROWS: &[Row] = &[
    Row {
        name: "clean_end_is_told",
        says: "A connection that ends well leaves a line with no cause, the attempts and the bytes of both sides.",
        run: clean_end_is_told,
        cells: &[
            (1, NotAsked),
            (
                8,
                Has("--; attempts=1; bytes_from_client=5; bytes_from_backend=3"),
            ),
        ],
    },
    Row {
        name: "backend_is_named_as_the_cause",
        says: "S for the backend, s for its silence; C while connecting, D while passing bytes on.",
        run: backend_is_named_as_the_cause,
        cells: &[
            (1, NotAsked),
            (
                8,
                Has("refuses: SC; does not answer: sC; breaks off: SD; never ends: sD"),
            ),
        ],
    },
    Row {
        name: "client_is_named_as_the_cause",
        says: "C for the client, c for its silence; D while passing bytes on.",
        run: client_is_named_as_the_cause,
        cells: &[
            (1, NotAsked),
            (8, Has("breaks off: CD; never ends: cD; says nothing: cD")),
        ],
    },
    Row {
        name: "limit_is_named_as_the_cause",
        says: "P for the proxy itself, at its door: A.",
        run: limit_is_named_as_the_cause,
        cells: &[(1, NotAsked), (8, Has("too many: PA; too fast: PA"))],
    },
];

fn clean_end_is_told(phase: &Phase) -> String {
    let (proxy, client, server) = accounted(phase).dialogue();
    client.say("Hello").finish();
    server.hear_all();
    server.say("Bye").finish();
    client.hear_all();
    drop((client, server));

    let cause = cause(&proxy);
    let line = proxy.wait_log(&["access", "cause="]);
    let fields = ["attempts=", "bytes_from_client=", "bytes_from_backend="]
        .map(|name| line.split(' ').find(|field| field.starts_with(name)));
    format!(
        "{cause}; {}",
        fields.map(|field| field.unwrap_or("none")).join("; ")
    )
}

fn backend_is_named_as_the_cause(phase: &Phase) -> String {
    let silent = accounted(phase).flag("--half-close-timeout", "200ms");
    let (never_ends, client, _server) = silent.dialogue();
    client.finish();

    let hole = Blackhole::open();
    let budget = accounted(phase).flag("--connect-timeout", "200ms");
    let no_answer = budget.backend(hole.addr()).start();
    Peer::connect(no_answer.addr()).end_within(DEADLINE);

    let door = Door::closed();
    let refuses = accounted(phase).backend(door.addr()).start();
    Peer::connect(refuses.addr()).end_within(DEADLINE);

    let (breaks_off, client, server) = accounted(phase).dialogue();
    server.say("half");
    client.hear(4);
    server.reset();
    client.end_within(DEADLINE);

    format!(
        "refuses: {}; does not answer: {}; breaks off: {}; never ends: {}",
        cause(&refuses),
        cause(&no_answer),
        cause(&breaks_off),
        cause(&never_ends)
    )
}

fn client_is_named_as_the_cause(phase: &Phase) -> String {
    let half = accounted(phase).flag("--half-close-timeout", "200ms");
    let (never_ends, _client, server) = half.dialogue();
    server.finish();

    let idle = accounted(phase).flag("--idle-timeout", "200ms");
    let (says_nothing, _client, _server) = idle.dialogue();

    let (breaks_off, client, server) = accounted(phase).dialogue();
    client.say("half");
    server.hear(4);
    client.reset();
    server.end_within(DEADLINE);

    format!(
        "breaks off: {}; never ends: {}; says nothing: {}",
        cause(&breaks_off),
        cause(&never_ends),
        cause(&says_nothing)
    )
}

fn limit_is_named_as_the_cause(phase: &Phase) -> String {
    let full = turned_away(phase, |start| start.flag("--max-connections", 1));
    let limited = turned_away(phase, |start| {
        start.flag("--rate-limit", "1/s").flag("--rate-burst", 1)
    });
    format!("too many: {full}; too fast: {limited}")
}

/// The cause for the one of two clients that is not served.
fn turned_away(phase: &Phase, limit: impl Fn(Start<'_>) -> Start<'_>) -> String {
    let backend = Backend::naming("a");
    let start = accounted(phase).flag("--workers", 1);
    let proxy = limit(start).backend(backend.addr()).start();
    let clients = [(); 2].map(|()| Peer::connect(proxy.addr()));
    clients.iter().for_each(|client| drop(answer(client)));
    ended(&proxy)
}

fn accounted(phase: &Phase) -> Start<'_> {
    phase.proxy().flag("--metrics", "127.0.0.1:0")
}

/// The cause of the only connection, once it has ended and nobody is counted as
/// being there.
fn cause(proxy: &Program) -> String {
    let cause = ended(proxy);
    match &settles_at(proxy, "tcpproxy_connections_active", 0)[..] {
        "0" => cause,
        active => format!("{cause}, but {active} are active"),
    }
}

/// The cause of the only connection that has ended; more about it if the log and the
/// metrics disagree, or if it is told or counted more than once.
fn ended(proxy: &Program) -> String {
    let line = proxy.wait_log(&["access", "cause="]);
    let cause = line.split("cause=\"").nth(1).unwrap_or_default();
    let cause = cause.split('"').next().unwrap_or_default();

    let series = format!("tcpproxy_closed_total{{cause=\"{cause}\"}}");
    let counted = settles_at(proxy, &series, 1);
    // A second line would come now.
    thread::sleep(QUIET / 3);
    let lines = proxy.count_log(&["access", "cause="]);
    let of_all = Page::read(proxy).sum("tcpproxy_closed_total{");
    if (&counted[..], lines, of_all) == ("1", 1, 1.0) {
        cause.into()
    } else {
        format!("{cause} in {lines} lines, {counted} counted, {of_all} of all causes")
    }
}
