//! Station *relay*: passes bytes on both ways until both sides have ended.

pub mod direction;
pub mod flow;
pub mod idle;
pub mod meter;
pub mod pair;
pub mod pipe;
pub mod reset;

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Poll, ready};

use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::account::Record;
use crate::backend::Backend;
use crate::error::Error;
use crate::proxy::Proxy;
use crate::relay::flow::Flow;
use crate::relay::idle::poll_alarm;
use crate::relay::meter::Side;
use crate::relay::pair::Pair;

/// Passes bytes on in both directions, first those that the client has sent `early`.
///
/// A side that has sent its last byte may still wait for the answer (RFC 9293,
/// section 3.6), so an end of stream is passed on by itself, and the other
/// direction goes on until it ends too. An error on either side ends both, and so
/// does a long silence.
pub async fn relay(
    proxy: &Proxy,
    client: &TcpStream,
    early: Vec<u8>,
    stream: &TcpStream,
    backend: &Backend,
    record: &mut Record,
) -> Result<(), Error> {
    let splice = proxy.config.splice.mode;
    record.from_client.add(early.len());

    let mut pair = Pair::new(
        Flow::new(client, stream, &mut record.from_client, splice).beginning_with(early),
        Flow::new(stream, client, &mut record.from_backend, splice),
    );

    let result = both_ways(proxy, &mut pair, backend).await;

    // The clock of what follows is the kernel's: it knows what the receiver takes.
    if let Err(Error::Relay { side, .. }) = result {
        pair.last_words(side, proxy.config.idle.half_close_timeout)
            .await;
    }

    // A backend that accepts and hangs up passes every check that only connects.
    if pair.down.bytes() == 0 {
        backend.suspect();
    }
    result
}

async fn both_ways(proxy: &Proxy, pair: &mut Pair<'_>, backend: &Backend) -> Result<(), Error> {
    let limits = &proxy.config.idle;
    let mut alarm = pin!(sleep(limits.timeout));
    let mut rung = None;

    poll_fn(|cx| {
        if let Poll::Ready(result) = pair.poll(cx) {
            return Poll::Ready(result.map_err(|(side, source)| Error::Relay {
                backend: backend.name.clone(),
                side,
                source,
            }));
        }

        // The silence of both sides counts together: while one of them sends, the
        // other may listen for as long as it likes.
        let (limit, silent) = match (pair.up.is_open(), pair.down.is_open()) {
            (false, true) => (limits.half_close_timeout, Some(Side::Backend)),
            (true, false) => (limits.half_close_timeout, Some(Side::Client)),
            _ => (limits.timeout, None),
        };
        let deadline = pair.active() + limit;
        ready!(poll_alarm(alarm.as_mut(), &mut rung, cx, deadline));

        Poll::Ready(Err(silent.map_or(Error::Idle(limit), |silent| {
            Error::HalfClosed { limit, silent }
        })))
    })
    .await
}

#[cfg(test)]
mod tests;
