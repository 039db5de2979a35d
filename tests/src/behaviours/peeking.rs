//! What it costs to be asked for a name: time, for those who have none.

use std::thread;
use std::time::{Duration, Instant};

use crate::backend::Backend;
use crate::behaviours::names::{answer, routed};
use crate::client::ask;
use crate::door::Door;
use crate::hello::hello;
use crate::matrix::Cell::{Flaw, Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::metrics::{Page, settles_at};
use crate::peer::Peer;
use crate::phase::Phase;

pub const ROWS: &[Row] = &[
    Row {
        name: "other_protocols_do_not_wait",
        says: "A client that does not speak TLS is served at once, although others are asked for a name.",
        run: other_protocols_do_not_wait,
        cells: &[
            (1, Has("GET: d at once")),
            (10, Flaw("peek-wait", "GET: d after the whole deadline")),
            (13, Has("GET: d at once")),
        ],
    },
    Row {
        name: "nobody_is_asked_without_names",
        says: "Without `--sni` nobody is asked for a name, so nobody waits.",
        run: nobody_is_asked_without_names,
        cells: &[(1, Has("a at once"))],
    },
    Row {
        name: "silent_client_hears_the_greeting",
        says: "A client that waits for the backend to speak first waits for the deadline and no longer.",
        run: silent_client_hears_the_greeting,
        cells: &[
            (1, NotAsked),
            (10, Has("220 hi after the deadline; timeout: 1")),
        ],
    },
    Row {
        name: "short_deadline_is_short",
        says: "A deadline of a millisecond costs about that.",
        run: short_deadline_is_short,
        cells: &[(1, NotAsked), (10, Has("less than 8 ms"))],
    },
    Row {
        name: "half_a_hello_takes_no_processor",
        says: "Waiting for the rest of a hello keeps no processor busy.",
        run: half_a_hello_takes_no_processor,
        cells: &[(1, NotAsked), (10, Has("rests; then a"))],
    },
    Row {
        name: "scanner_reaches_no_backend",
        says: "A client that leaves before it has said a byte reaches no backend, and the log blames nobody else.",
        run: scanner_reaches_no_backend,
        cells: &[
            (1, Lacks("all reach a backend; nobody is blamed")),
            (10, Has("none reaches a backend; eof: 20, CI: 20")),
        ],
    },
];

fn other_protocols_do_not_wait(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "2s");
    let client = Peer::connect(proxy.addr());
    let start = Instant::now();
    let name = answer(client.say("GET / HTTP/1.1\r\n\r\n"));
    if start.elapsed() < Duration::from_secs(2) {
        format!("GET: {name} at once")
    } else {
        format!("GET: {name} after the whole deadline")
    }
}

fn nobody_is_asked_without_names(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase
        .proxy()
        // Longer than any test waits for an answer.
        .flag("--sni-peek-timeout", "100s")
        .backend(backend.addr())
        .start();
    format!("{} at once", ask(proxy.addr()))
}

fn silent_client_hears_the_greeting(phase: &Phase) -> String {
    let deadline = Duration::from_millis(500);
    let (a, d) = (
        Door::closed(),
        Backend::start(|peer, _| {
            peer.say("220 hi\n");
            peer.hear_all();
        }),
    );
    let proxy = phase
        .proxy()
        .flag("--metrics", "127.0.0.1:0")
        .backend(d.addr())
        .repeat("--sni", format_args!("a.example.com={}", a.addr()))
        .flag("--sni-peek-timeout", "500ms")
        .start();

    let addr = proxy.addr();
    let start = Instant::now();
    let client = Peer::connect(addr);
    let greeting = answer(&client);
    format!(
        "{greeting} {}; timeout: {}",
        if start.elapsed() < deadline {
            "too soon"
        } else {
            "after the deadline"
        },
        Page::read(&proxy).value("tcpproxy_peek_results_total{result=\"timeout\"}")
    )
}

/// Once is enough: a busy machine can make it take longer, but not shorter.
fn short_deadline_is_short(phase: &Phase) -> String {
    let (proxy, _backends) = routed(phase, "1ms");
    let mut times = (0..100).map(|_| {
        let client = Peer::connect(proxy.addr());
        let start = Instant::now();
        answer(client.say("GET"));
        start.elapsed()
    });
    if times.any(|time| time < Duration::from_millis(8)) {
        "less than 8 ms".into()
    } else {
        "never less than 8 ms".into()
    }
}

fn half_a_hello_takes_no_processor(phase: &Phase) -> String {
    const WATCHED: Duration = Duration::from_millis(1500);
    let (proxy, _backends) = routed(phase, "9s");
    let hello = hello("a.example.com");
    let client = Peer::connect(proxy.addr());
    client.say(&hello[..60]);

    let before = proxy.cpu_time();
    thread::sleep(WATCHED);
    let busy = proxy.cpu_time() - before;
    let name = answer(client.say(&hello[60..]));
    if busy < WATCHED / 10 {
        format!("rests; then {name}")
    } else {
        format!(
            "busy for {} of {} ms; then {name}",
            busy.as_millis(),
            WATCHED.as_millis()
        )
    }
}

fn scanner_reaches_no_backend(phase: &Phase) -> String {
    let (proxy, backends) = routed(phase, "3s");
    for _ in 0..10 {
        Peer::connect(proxy.addr()).finish();
        Peer::connect(proxy.addr()).reset();
    }

    let reached: usize = backends.iter().map(Backend::settled).sum();
    let blamed = if phase.knows("--sni") {
        settles_at(&proxy, "tcpproxy_connections_active", 0);
        let page = Page::read(&proxy);
        let eof = page.value("tcpproxy_peek_results_total{result=\"eof\"}");
        let cause = page.value("tcpproxy_closed_total{cause=\"CI\"}");
        format!("eof: {eof}, CI: {cause}")
    } else {
        "nobody is blamed".into()
    };
    // A check that looks whether something is wrong may have come, too.
    let reached = match reached {
        0 => "none reaches",
        20.. => "all reach",
        _ => "some reach",
    };
    format!("{reached} a backend; {blamed}")
}
