//! What the operator is told.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::thread;

use crate::backend::Backend;
use crate::client::answer;
use crate::door::Door;
use crate::hello::hello;
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::metrics::{Page, settles_at};
use crate::peer::Peer;
use crate::phase::{Phase, Start};
use crate::program::Program;
use crate::record::{DEADLINE, QUIET};

pub const ROWS: &[Row] = &[
    Row {
        name: "one_access_line_per_connection",
        says: "Each connection leaves one line in the log, with its cause, however it ends.",
        run: one_access_line_per_connection,
        cells: &[
            (1, Lacks("served: 0; reset: 0; refused: 0")),
            (8, Has("served: 1; reset: 1; refused: 1")),
        ],
    },
    Row {
        name: "active_connections_are_counted",
        says: "A gauge tells how many clients there are, and is back at zero when they have gone.",
        run: active_connections_are_counted,
        cells: &[
            (1, NotAsked),
            (
                8,
                Has("before: 0; three clients: 3; when they have gone: 0"),
            ),
        ],
    },
    Row {
        name: "rejected_clients_are_counted",
        says: "A counter tells how many clients were turned away, and why.",
        run: rejected_clients_are_counted,
        cells: &[
            (1, NotAsked),
            (
                8,
                Has(
                    "too many: 1 stays, max_connections 2, rate_limit 0; too fast: 1 stays, max_connections 0, rate_limit 2",
                ),
            ),
        ],
    },
    Row {
        name: "clients_create_no_series",
        says: "Whatever clients do, the page has the same series: 300 addresses and as many names add none.",
        run: clients_create_no_series,
        cells: &[(1, NotAsked), (8, Has("the same series"))],
    },
];

fn one_access_line_per_connection(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase.proxy().backend(backend.addr()).start();
    let served = Peer::connect(proxy.addr());
    let reset = Peer::connect(proxy.addr());
    answer(&served);
    answer(&reset);
    let (served_addr, reset_addr) = (served.local_addr(), reset.local_addr());
    drop(served);
    reset.reset();

    let dead = Door::closed();
    let other = phase.proxy().backend(dead.addr()).start();
    let refused = Peer::connect(other.addr());
    refused.end_within(DEADLINE);

    format!(
        "served: {}; reset: {}; refused: {}",
        access_lines(phase, &proxy, served_addr),
        access_lines(phase, &proxy, reset_addr),
        access_lines(phase, &other, refused.local_addr())
    )
}

fn access_lines(phase: &Phase, proxy: &Program, client: SocketAddr) -> usize {
    let parts = ["access", &client.to_string(), "cause="];
    if phase.knows("--metrics") {
        proxy.wait_log(&parts);
    }
    // A second line would come now.
    thread::sleep(QUIET / 3);
    proxy.count_log(&parts)
}

fn active_connections_are_counted(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = measured(phase).backend(backend.addr()).start();
    const ACTIVE: &str = "tcpproxy_connections_active";

    let before = Page::read(&proxy).value(ACTIVE);
    let clients: Vec<_> = (0..3).map(|_| Peer::connect(proxy.addr())).collect();
    clients.iter().for_each(|client| drop(answer(client)));
    let during = Page::read(&proxy).value(ACTIVE);
    drop(clients);
    let after = settles_at(&proxy, ACTIVE, 0);
    format!("before: {before}; three clients: {during}; when they have gone: {after}")
}

fn rejected_clients_are_counted(phase: &Phase) -> String {
    let full = rejecting(phase, |start| start.flag("--max-connections", 1));
    let limited = rejecting(phase, |start| {
        start.flag("--rate-limit", "1/s").flag("--rate-burst", 1)
    });
    format!("too many: {full}; too fast: {limited}")
}

/// What is counted when one client is served, and two more are not.
fn rejecting(phase: &Phase, limit: impl Fn(Start<'_>) -> Start<'_>) -> String {
    let backend = Backend::naming("a");
    let start = measured(phase).flag("--workers", 1);
    let proxy = limit(start).backend(backend.addr()).start();

    // Who of them is served is a matter of chance.
    let clients = [(); 3].map(|()| Peer::connect(proxy.addr()));
    clients.iter().for_each(|client| drop(answer(client)));
    let left = settles_at(&proxy, "tcpproxy_connections_active", 1);
    let page = Page::read(&proxy);
    let counts = ["max_connections", "rate_limit"].map(|reason| {
        let series = format!("tcpproxy_rejected_total{{reason=\"{reason}\"}}");
        format!("{reason} {}", page.value(&series))
    });
    format!("{left} stays, {}", counts.join(", "))
}

fn clients_create_no_series(phase: &Phase) -> String {
    let (a, d) = (Backend::silent(), Backend::silent());
    let proxy = measured(phase)
        .backend(d.addr())
        .repeat("--sni", format_args!("a.example.com={}", a.addr()))
        .start();

    let before = Page::read(&proxy);
    for n in 0..300_u16 {
        let [high, low] = n.to_be_bytes();
        let source = IpAddr::V4(Ipv4Addr::new(127, 1, high, low));
        let client = Peer::connect_from(source, proxy.addr());
        client.say(hello(&format!("{n}.example.com")));
    }
    settles_at(&proxy, "tcpproxy_connections_total", 300);
    settles_at(&proxy, "tcpproxy_connections_active", 0);
    let after = Page::read(&proxy);

    if after.series() == before.series() && !before.series().is_empty() {
        "the same series".into()
    } else {
        format!(
            "{} series, then {}",
            before.series().len(),
            after.series().len()
        )
    }
}

fn measured(phase: &Phase) -> Start<'_> {
    phase.proxy().flag("--metrics", "127.0.0.1:0")
}
