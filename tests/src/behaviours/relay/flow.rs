//! How fast bytes are passed on: as fast as they are read, and no later than they can be.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::pattern::{MEBIBYTE, pattern};
use crate::peer::Peer;
use crate::phase::Phase;
use crate::record::QUIET;

pub fn slow_reader_holds_the_backend_up(phase: &Phase) -> String {
    /// Far more than the buffers of four sockets take.
    const MOST: usize = 256 * MEBIBYTE;
    let (_proxy, client, server) = phase.proxy().dialogue();
    let chunk = pattern(64 * 1024, 4);

    let mut stream = server.stream();
    stream
        .set_write_timeout(Some(QUIET))
        .expect("an open socket takes options");
    let mut sent = 0;
    while sent < MOST {
        match stream.write(&chunk) {
            Ok(count) => sent += count,
            Err(_) => break,
        }
    }
    server.finish();

    let heard = client.hear_all().0.len();
    format!(
        "{}; {}",
        if sent < MOST {
            "the backend has to wait"
        } else {
            "no limit"
        },
        if heard == sent {
            "every byte arrives"
        } else {
            "bytes are lost"
        }
    )
}

pub fn small_messages_go_at_once(phase: &Phase) -> String {
    let (_proxy, client, server) = phase.proxy().dialogue();
    format!(
        "to the backend: {}; to the client: {}",
        delay(&client, &server),
        delay(&server, &client)
    )
}

/// A small message right after another one: without `TCP_NODELAY` it waits in the
/// proxy until the first is acknowledged, and a receiver that has nothing to send
/// acknowledges after 40 ms only.
fn delay(from: &Peer, to: &Peer) -> &'static str {
    // A receiver that has just started, or that never answers, acknowledges at
    // once; a dialogue makes it wait for something to send with the acknowledgement.
    let delays = (0..10).map(|_| {
        from.say("a");
        to.hear(1);
        to.say("b");
        from.hear(1);

        from.say("c");
        to.hear(1);
        from.say("d");
        let start = Instant::now();
        to.hear(1);
        start.elapsed()
    });
    let shortest = delays.min().expect("there are ten");
    if shortest < Duration::from_millis(20) {
        "at once"
    } else {
        "late"
    }
}
