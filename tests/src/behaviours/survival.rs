//! What must not end the program, and what must.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use crate::backend::Backend;
use crate::client::{ask, ask_all, ask_until};
use crate::door::Door;
use crate::matrix::Cell::Has;
use crate::matrix::Row;
use crate::peer::Peer;
use crate::phase::Phase;
use crate::record::QUIET;

pub const ROWS: &[Row] = &[
    Row {
        name: "refused_backend_closes_the_client",
        says: "A client whose backend refuses is closed at once, and one log line names both.",
        run: refused_backend_closes_the_client,
        cells: &[(1, Has("the client is closed; a log line names both"))],
    },
    Row {
        name: "backend_may_be_a_name",
        says: "A name is resolved at the start, and each of its addresses is tried.",
        run: backend_may_be_a_name,
        cells: &[(1, Has("localhost: a"))],
    },
    Row {
        name: "address_in_use_ends_the_program",
        says: "A program that cannot listen ends with code 1, and says how to go on.",
        run: address_in_use_ends_the_program,
        cells: &[(
            1,
            Has("exit code 1; names the address, the cause, the flag"),
        )],
    },
    Row {
        name: "own_listener_is_no_backend",
        says: "A proxy that would connect to itself ends with code 1, by whatever name it is told to.",
        run: own_listener_is_no_backend,
        cells: &[(1, Has("exit code 1, 1, 1; names the backend and the flags"))],
    },
    Row {
        name: "out_of_descriptors",
        says: "More clients than descriptors neither end the program nor make it busy, and it serves again when they have gone.",
        run: out_of_descriptors,
        cells: &[(1, Has("few log lines; rests; serves again"))],
    },
    Row {
        name: "storm_of_resets",
        says: "Two hundred clients that connect and break off leave the program as it was.",
        run: storm_of_resets,
        cells: &[(1, Has("afterwards: aaaa"))],
    },
];

fn refused_backend_closes_the_client(phase: &Phase) -> String {
    let backend = Door::closed();
    let proxy = phase.proxy().backend(backend.addr()).start();

    let client = Peer::connect(proxy.addr());
    let end = client.end_within(Duration::from_secs(1));
    let (client, backend) = (client.local_addr().to_string(), backend.addr().to_string());
    let named = proxy.finds_log(&[&client, &backend]);

    format!(
        "the client is {end}; {} names both",
        if named { "a log line" } else { "no log line" }
    )
}

fn backend_may_be_a_name(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let name = format!("localhost:{}", backend.addr().port());
    let proxy = phase.proxy().backend(name).start();
    format!("localhost: {}", ask(proxy.addr()))
}

fn address_in_use_ends_the_program(phase: &Phase) -> String {
    let taken = Door::closed();
    let _listener = taken.open();
    let backend = Door::closed();
    let mut proxy = phase
        .proxy()
        .flag("--listen", taken.addr())
        .backend(backend.addr())
        .start();

    let (code, text) = proxy.wait_end();
    let addr = taken.addr().to_string();
    let parts = [
        (addr.as_str(), "the address"),
        ("in use", "the cause"),
        ("--listen", "the flag"),
    ];
    let named = parts.iter().filter(|(part, _)| text.contains(part));
    let named: Vec<_> = named.map(|(_, name)| *name).collect();
    format!(
        "exit code {}; names {}",
        code.map_or("none".into(), |code| code.to_string()),
        named.join(", ")
    )
}

/// A connection takes two descriptors. With an even number of them left, the
/// program is short of them when it accepts; with an odd number, when it connects.
fn own_listener_is_no_backend(phase: &Phase) -> String {
    let ways: [fn(SocketAddr) -> (String, String); 3] = [
        |addr| (addr.to_string(), addr.to_string()),
        |addr| (addr.to_string(), format!("localhost:{}", addr.port())),
        |addr| {
            (
                format!("0.0.0.0:{}", addr.port()),
                format!("127.0.0.2:{}", addr.port()),
            )
        },
    ];

    let mut named = true;
    let codes = ways.map(|way| {
        loop {
            let door = Door::closed();
            let (listen, backend) = way(door.addr());
            let start = phase.proxy().flag("--listen", listen).backend(&backend);
            let (code, said) = start.start().wait_end();

            // Somebody else may have the port on another address.
            if said.contains("in use") {
                continue;
            }
            named &= [&backend, "--listen", "--backend"]
                .iter()
                .all(|part| said.contains(*part));
            break code.map_or("none".into(), |code| code.to_string());
        }
    });
    format!(
        "exit code {}; names {}",
        codes.join(", "),
        if named {
            "the backend and the flags"
        } else {
            "too little"
        }
    )
}

fn out_of_descriptors(phase: &Phase) -> String {
    let even = starve(phase, 40);
    let odd = starve(phase, 41);
    if even == odd {
        even
    } else {
        format!("{even} / {odd}")
    }
}

fn starve(phase: &Phase, descriptors: u64) -> String {
    const CLIENTS: usize = 40;
    let backend = Backend::naming("a");
    let proxy = phase.proxy().backend(backend.addr()).start();
    proxy.addr();
    proxy.limit_descriptors(descriptors);

    let clients: Vec<_> = (0..CLIENTS).map(|_| Peer::connect(proxy.addr())).collect();
    backend.settled();
    // Three lines for each client, and some for what the program itself is short of.
    // One that tries again and again without a pause writes thousands.
    let few = proxy.count_log(&[]) <= 3 * CLIENTS + 10;

    // One that tries again and again in silence takes a core.
    let busy = proxy.cpu_time();
    thread::sleep(QUIET);
    let rests = proxy.cpu_time() - busy < QUIET / 3;

    drop(clients);
    let serves = ask_until(proxy.addr(), Duration::from_secs(3), "a");
    format!(
        "{} log lines; {}; {}",
        if few { "few" } else { "many" },
        if rests { "rests" } else { "is busy" },
        if serves {
            "serves again"
        } else {
            "serves nobody"
        }
    )
}

fn storm_of_resets(phase: &Phase) -> String {
    let backend = Backend::naming("a");
    let proxy = phase.proxy().backend(backend.addr()).start();
    for _ in 0..200 {
        Peer::connect(proxy.addr()).reset();
    }
    format!("afterwards: {}", ask_all(proxy.addr(), 4))
}
