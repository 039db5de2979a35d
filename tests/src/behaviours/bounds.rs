//! What a crowd of clients may take from the machine: descriptors, and lines of the log.

use std::time::Duration;

use crate::backend::Backend;
use crate::client::{answer, answer_within};
use crate::matrix::Cell::{Has, Lacks, NotAsked};
use crate::matrix::Row;
use crate::peer::{End, Peer};
use crate::phase::Phase;
use crate::record::DEADLINE;

pub const ROWS: &[Row] = &[
    Row {
        name: "soft_limit_is_raised",
        says: "A soft limit of descriptors that is too low for the clients is raised.",
        run: soft_limit_is_raised,
        cells: &[(1, Lacks("not all served")), (6, Has("all served"))],
    },
    Row {
        name: "hard_limit_lowers_the_cap",
        says: "Where there are too few descriptors for `--max-connections`, fewer clients are let in, the others are closed at once, and the log says so at the start.",
        run: hard_limit_lowers_the_cap,
        cells: &[
            (1, NotAsked),
            (6, Has("32 served, then closed; the log says so")),
        ],
    },
    Row {
        name: "refused_clients_cost_few_lines",
        says: "Of the clients that are refused, ten in a second get a line in the log, and the others one line together.",
        run: refused_clients_cost_few_lines,
        cells: &[(1, NotAsked), (6, Has("all 100 are told, in few lines"))],
    },
];

fn soft_limit_is_raised(phase: &Phase) -> String {
    const CLIENTS: usize = 60;
    let backend = Backend::naming("a");
    let start = phase.proxy().backend(backend.addr());
    let proxy = start.descriptors(40, 400).start();

    let clients = (0..CLIENTS).map(|_| Peer::connect(proxy.addr()));
    let served = clients.take_while(|client| answer_within(client, PATIENCE).is_ok());
    let served: Vec<_> = served.collect();
    let all = served.len() == CLIENTS;
    if all { "all served" } else { "not all served" }.into()
}

fn hard_limit_lowers_the_cap(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let start = phase.proxy().backend(backend.addr());
    let proxy = start.descriptors(128, 128).start();

    let mut served = Vec::new();
    let end = loop {
        let client = Peer::connect(proxy.addr());
        match answer_within(&client, PATIENCE) {
            Ok(_) => served.push(client),
            Err(end) => break end,
        }
    };
    // A client that speaks to a closed socket may hear a reset instead of the end.
    let end = match end {
        End::StillOpen => "not served",
        End::Closed | End::Reset => "closed",
    };
    let said = proxy.finds_log(&["128 descriptors", "32 client(s)", "--max-connections"]);
    format!(
        "{} served, then {end}; {}",
        served.len(),
        if said { "the log says so" } else { "silence" }
    )
}

fn refused_clients_cost_few_lines(phase: &Phase) -> String {
    const REFUSED: usize = 100;
    let backend = Backend::naming("a");
    let start = phase.proxy().backend(backend.addr());
    let proxy = start.flag("--max-connections", 1).start();

    let first = Peer::connect(proxy.addr());
    answer(&first);
    for _ in 0..REFUSED {
        Peer::connect(proxy.addr()).end_within(DEADLINE);
    }

    let lines = proxy.log().wait(DEADLINE, |lines| {
        let single = lines.iter().filter(|line| line.contains("is reached"));
        let sums = lines.iter().filter_map(|line| {
            let (start, _) = line.split_once(" more client(s) were refused")?;
            start.rsplit(' ').next()?.parse::<usize>().ok()
        });
        let (single, sums) = (single.count(), sums.collect::<Vec<_>>());
        (single + sums.iter().sum::<usize>() == REFUSED).then_some((single, sums.len()))
    });
    match lines {
        // A slow machine may need some seconds for them all.
        Some((single, sums)) if single <= 10 * (sums + 1) => {
            format!("all {REFUSED} are told, in few lines")
        }
        Some((single, _)) => format!("all {REFUSED} are told, {single} with a line each"),
        None => "not all are told".into(),
    }
}

/// For what takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
