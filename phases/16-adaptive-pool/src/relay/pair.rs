//! Both directions of a connection, and how they end each other.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::Instant;

use crate::relay::direction::Direction;
use crate::relay::flow::Flow;
use crate::relay::meter::Side;

/// Both directions in one task, which wakes once for whatever happens.
pub struct Pair<'a> {
    /// From the client to the backend.
    pub up: Direction<'a>,

    /// From the backend to the client.
    pub down: Direction<'a>,

    active: Instant,
}

/// Which side broke off, and how it was noticed.
pub type Broken = (Side, io::Error);

impl<'a> Pair<'a> {
    /// Begins now.
    pub fn new(up: Flow<'a>, down: Flow<'a>) -> Self {
        Self {
            up: Direction::new(up),
            down: Direction::new(down),
            active: Instant::now(),
        }
    }

    /// When a byte or an end last passed.
    pub fn active(&self) -> Instant {
        self.active
    }

    /// Passes on what there is, but not for long. Ready when both sides have ended,
    /// or when one broke off.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        let result = self.poll_both(cx);

        if self.up.has_moved() | self.down.has_moved() {
            self.active = Instant::now();
        }
        if let Poll::Ready(Err((side, _))) = result {
            self.said_by(side).break_off();
        }
        result
    }

    fn poll_both(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        let up = self
            .up
            .poll(cx)
            .map_err(|fault| fault.in_flow_of(Side::Client))?;
        let down = self
            .down
            .poll(cx)
            .map_err(|fault| fault.in_flow_of(Side::Backend))?;

        ready!(up);
        down.map(Ok)
    }

    /// After `side` broke off: passes on what it had said before, for as long as the
    /// other side takes some of it within `patience`.
    pub async fn last_words(&mut self, side: Side, patience: Duration) {
        let direction = self.said_by(side);
        direction.limit_last_words(patience);
        poll_fn(|cx| direction.poll_last_words(cx)).await;
    }

    fn said_by(&mut self, side: Side) -> &mut Direction<'a> {
        match side {
            Side::Client => &mut self.up,
            Side::Backend => &mut self.down,
        }
    }
}
