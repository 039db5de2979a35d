//! What the log and the printed lines may not do: hold up or end the service.

use std::fs::OpenOptions;
use std::io;
use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use rustix::pipe::fcntl_setpipe_size;

use crate::backend::Backend;
use crate::client::{answer_within, ask_all};
use crate::door::Door;
use crate::matrix::Cell::{Has, NotAsked};
use crate::matrix::Row;
use crate::metrics::settles_at;
use crate::peer::Peer;
use crate::phase::Phase;

pub const ROWS: &[Row] = &[
    Row {
        name: "nobody_reads_the_log",
        says: "A log that nobody reads, in a pipe that is full, costs lines, but neither clients nor the way out.",
        run: nobody_reads_the_log,
        cells: &[(
            1,
            Has("100 of 100 served; the session before them goes on; ends when told to"),
        )],
    },
    Row {
        name: "log_cannot_be_written",
        says: "A log on a full disk, or whose reader has gone, is no reason to end, and an error at the start still has its exit code.",
        run: log_cannot_be_written,
        cells: &[(
            1,
            Has("full disk: 4 of 4 served, exit code 1; reader gone: 4 of 4 served, exit code 1"),
        )],
    },
    Row {
        name: "addresses_cannot_be_printed",
        says: "Where standard output takes nothing, the log says where the program listens, and it serves.",
        run: addresses_cannot_be_printed,
        cells: &[(1, Has("full disk: aaaa; reader gone: aaaa"))],
    },
    Row {
        name: "lost_lines_are_counted",
        says: "A metric counts the lines that could not be written.",
        run: lost_lines_are_counted,
        cells: &[(1, NotAsked), (8, Has("4 lost"))],
    },
];

fn nobody_reads_the_log(phase: &Phase) -> String {
    const CLIENTS: usize = 100;
    let (_reader, pipe) = io::pipe().expect("a pipe needs two descriptors");
    // Some forty lines.
    fcntl_setpipe_size(&pipe, 4096).expect("a pipe may be narrow");

    let backend = Backend::start(|peer, _| {
        while peer.hear(1) == b"?" {
            peer.say("a\n");
        }
    });
    let start = phase.proxy().backend(backend.addr());
    let mut proxy = start.log_to(pipe.into()).start();

    let first = Peer::connect(proxy.addr());
    let came_in = is_served(&first);
    let served = served(proxy.addr(), CLIENTS);

    let goes_on = came_in && is_served(&first);
    first.reset();
    proxy.terminate();
    let ends = proxy.exit_within(PATIENCE).is_some();

    format!(
        "{served} of {CLIENTS} served; the session before them {}; {} when told to",
        if goes_on { "goes on" } else { "stands still" },
        if ends { "ends" } else { "does not end" },
    )
}

fn log_cannot_be_written(phase: &Phase) -> String {
    outlets(|outlet| {
        let backend = Backend::naming("a");
        let start = phase.proxy().backend(backend.addr());
        let proxy = start.log_to(outlet()).start();
        let served = served(proxy.addr(), 4);

        let taken = Door::closed();
        let _listener = taken.open();
        let start = phase.proxy().flag("--listen", taken.addr());
        let mut second = start.backend(backend.addr()).log_to(outlet()).start();
        let (code, _) = second.wait_end();
        let code = code.map_or("none".into(), |code| code.to_string());
        format!("{served} of 4 served, exit code {code}")
    })
}

fn addresses_cannot_be_printed(phase: &Phase) -> String {
    outlets(|outlet| {
        let backend = Backend::naming("a");
        let start = phase.proxy().backend(backend.addr());
        let proxy = start.print_to(outlet()).start();

        let Some(line) = proxy.find_log(&["listening on "]) else {
            return "silence".into();
        };
        let (_, addr) = line.split_once("listening on ").expect("it is in the line");
        let addr = addr.split('"').next().and_then(|addr| addr.parse().ok());
        addr.map_or(line, |addr| ask_all(addr, 4))
    })
}

fn lost_lines_are_counted(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let start = phase.proxy().backend(backend.addr());
    let start = start.flag("--metrics", "127.0.0.1:0");
    let proxy = start.log_to(full_disk()).start();
    ask_all(proxy.addr(), 4);

    let lost = settles_at(&proxy, "tcpproxy_log_lines_lost_total", 4);
    format!("{lost} lost")
}

/// How many clients are served, until one is not. Each of them breaks off then, which
/// is a line in the log of every phase.
fn served(proxy: SocketAddr, clients: usize) -> usize {
    let served = (0..clients).take_while(|_| {
        let client = Peer::connect(proxy);
        let served = is_served(&client);
        client.reset();
        served
    });
    served.count()
}

fn is_served(client: &Peer) -> bool {
    answer_within(client, PATIENCE).is_ok()
}

/// What is seen with each kind of output that takes nothing.
fn outlets(see: impl Fn(fn() -> Stdio) -> String) -> String {
    format!(
        "full disk: {}; reader gone: {}",
        see(full_disk),
        see(reader_gone)
    )
}

fn full_disk() -> Stdio {
    let disk = OpenOptions::new().write(true).open("/dev/full");
    disk.expect("Linux has a disk that is full").into()
}

fn reader_gone() -> Stdio {
    let (_, pipe) = io::pipe().expect("a pipe needs two descriptors");
    pipe.into()
}

/// For what takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
