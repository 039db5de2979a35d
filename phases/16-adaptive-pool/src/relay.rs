//! Station *relay*: passes bytes on both ways until both sides have ended.

pub mod direction;
pub mod idle;
pub mod meter;
pub mod pipe;
pub mod reset;

use std::future::poll_fn;
use std::mem;
use std::pin::pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use crate::account::Record;
use crate::backend::Backend;
use crate::error::Error;
use crate::proxy::Proxy;
use crate::relay::direction::{Broken, Direction};
use crate::relay::idle::poll_alarm;
use crate::relay::meter::Side;
use crate::relay::reset::poll_sent;

/// Passes bytes on in both directions, first those that the client has sent `early`.
///
/// A side that has sent its last byte may still wait for the answer (RFC 9293,
/// section 3.6), so an end of stream is passed on by itself, and the other
/// direction goes on until it ends too. An error on either side ends both, and so
/// does a long silence.
pub async fn relay(
    proxy: &Proxy,
    client: &mut TcpStream,
    early: Vec<u8>,
    stream: &mut TcpStream,
    backend: &Backend,
    record: &mut Record,
) -> Result<(), Error> {
    let config = &proxy.config;
    record.from_client.add(early.len());

    let mut relay = Relay {
        client,
        stream,
        up: Direction::new(Side::Client, early, config.splice.mode),
        down: Direction::new(Side::Backend, Vec::new(), config.splice.mode),
        broken: None,
        active: Instant::now(),
        proxy,
        backend,
        record,
    };
    let mut alarm = pin!(sleep(config.idle.timeout));
    let mut rung = None;

    let result = poll_fn(|cx| {
        if let Poll::Ready(result) = relay.poll(cx) {
            return Poll::Ready(result.map_err(|broken| relay.error(broken)));
        }

        let limit = relay.patience();
        let deadline = relay.active + limit;
        ready!(poll_alarm(alarm.as_mut(), &mut rung, cx, deadline));
        Poll::Ready(Err(relay.out_of_patience(limit)))
    })
    .await;

    // A backend that accepts and hangs up passes every check that only connects.
    if relay.record.from_backend.bytes() == 0 {
        backend.suspect();
    }

    result
}

/// Both directions in one task, which wakes once for whatever happens.
struct Relay<'a> {
    client: &'a mut TcpStream,

    stream: &'a mut TcpStream,

    /// From the client to the backend.
    up: Direction,

    /// From the backend to the client.
    down: Direction,

    /// Who broke off, while its last bytes are being passed on.
    broken: Option<Broken>,

    /// When a byte or an end last passed.
    active: Instant,

    proxy: &'a Proxy,

    backend: &'a Backend,

    record: &'a mut Record,
}

impl Relay<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        let mut result = match &self.broken {
            None => self.poll_both(cx),
            Some(_) => Poll::Pending,
        };
        if let Poll::Ready(Err(broken)) = result {
            self.broken = Some(broken);
            result = Poll::Pending;
        }
        if let Some((side, _)) = self.broken {
            let last_words = self.poll_last_words(side, cx);
            result = last_words.map(|()| self.broken.take().map_or(Ok(()), Err));
        }

        if mem::take(&mut self.up.moved) | mem::take(&mut self.down.moved) {
            self.active = Instant::now();
        }
        result
    }

    fn poll_both(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        let (client, stream) = (&mut *self.client, &mut *self.stream);

        // After an error of one side nothing must be read from it in the usual way:
        // what follows looks like a clean end, and would be passed on as one.
        let up = self
            .up
            .poll(cx, client, stream, &mut self.record.from_client)?;
        let down = self
            .down
            .poll(cx, stream, client, &mut self.record.from_backend)?;

        ready!(up);
        down.map(Ok)
    }

    /// What a side sent before it broke off still arrives, and then not an end but a
    /// reset: an answer that was cut must not look like a whole one.
    fn poll_last_words(&mut self, side: Side, cx: &mut Context<'_>) -> Poll<()> {
        let Self {
            client,
            stream,
            record,
            ..
        } = self;
        let (direction, from, to, meter) = match side {
            Side::Client => (&mut self.up, client, stream, &mut record.from_client),
            Side::Backend => (&mut self.down, stream, client, &mut record.from_backend),
        };
        if direction.told {
            return Poll::Ready(());
        }

        // Whenever this connection is closed now, it is by a reset. What fails here
        // fails because the receiver is gone, too.
        let _ = to.set_zero_linger();
        let _ = ready!(direction.poll_bytes(cx, from, to, meter));
        let _ = ready!(poll_sent(to, cx));
        Poll::Ready(())
    }

    /// How long nothing may happen. The silence of both sides counts together: while
    /// one of them sends, the other may listen for as long as it likes.
    fn patience(&self) -> Duration {
        if self.broken.is_some() || self.up.ended != self.down.ended {
            self.proxy.config.idle.half_close_timeout
        } else {
            self.proxy.config.idle.timeout
        }
    }

    fn out_of_patience(&mut self, limit: Duration) -> Error {
        if let Some(broken) = self.broken.take() {
            return self.error(broken);
        }

        match (self.up.ended, self.down.ended) {
            (true, false) => Error::HalfClosed {
                limit,
                silent: Side::Backend,
            },
            (false, true) => Error::HalfClosed {
                limit,
                silent: Side::Client,
            },
            _ => Error::Idle(limit),
        }
    }

    fn error(&self, (side, source): Broken) -> Error {
        Error::Relay {
            backend: self.backend.name.clone(),
            side,
            source,
        }
    }
}

#[cfg(test)]
mod tests;
