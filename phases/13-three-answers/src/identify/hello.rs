//! The first message of a TLS client, read as it arrives: bytes in, an answer out,
//! and no input or output.
//!
//! "Still incomplete" and "not TLS at all" are two answers here, and the second is
//! given at the first byte that settles it. So only who may still become a TLS
//! client has to be waited for.

pub mod body;

use std::ops::ControlFlow::{self, Break, Continue};

use crate::identify::hello::body::{Hello, parse};

/// What the bytes of a client say, as far as they have come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// They can still become a hello.
    NeedMore,

    /// They are one.
    Hello(Hello),

    /// They can become none.
    NotTls,

    /// They are a hello in the form of SSL 2, which has no place for a name.
    SslV2,

    /// They are TLS, but no hello that a server could take.
    Malformed,

    /// They are a hello that is larger than anybody needs.
    TooLarge,
}

/// Reads a hello that comes in pieces.
///
/// Each byte is looked at once, however small the pieces are. Whoever collects the
/// bytes holds at most `MOST_BYTES` of them until there is an answer, and the reader
/// about half as many.
#[derive(Debug, Default)]
pub struct Reader {
    /// How many bytes have been looked at.
    position: usize,

    /// How many bytes of the current record have not.
    left: usize,

    /// The handshake message, without the records around it.
    message: Vec<u8>,
}

impl Reader {
    /// What `bytes` say: all that have come so far, from the first one on.
    pub fn read(&mut self, bytes: &[u8]) -> Answer {
        match self.advance(&bytes[..bytes.len().min(MOST_BYTES)]) {
            Break(answer) => answer,
            Continue(()) if bytes.len() >= MOST_BYTES => Answer::TooLarge,
            Continue(()) => Answer::NeedMore,
        }
    }

    fn advance(&mut self, bytes: &[u8]) -> ControlFlow<Answer> {
        if bytes.first().is_some_and(|first| first & 0x80 != 0) {
            return ssl_v2(bytes);
        }

        // A message may be spread over any number of records (RFC 8446, section 5.1).
        while let Some(rest @ [_, ..]) = bytes.get(self.position..) {
            if self.left == 0 {
                self.left = match *rest {
                    [HANDSHAKE] | [HANDSHAKE, 3] | [HANDSHAKE, 3, 0..=4] => return Continue(()),
                    [HANDSHAKE, 3, 0..=4, 0..=0x40] => return Continue(()),
                    [HANDSHAKE, 3, 0..=4, high, low, ..] => u16::from_be_bytes([high, low]).into(),
                    _ => 0,
                };

                // A record of another type ends it here, and so does an empty one or one
                // that is too long. If it is the first, it may be any protocol.
                if !(1..=LONGEST_RECORD).contains(&self.left) {
                    return Break(if self.message.is_empty() {
                        Answer::NotTls
                    } else {
                        Answer::Malformed
                    });
                }
                self.position += RECORD_HEADER;
            } else {
                let count = self.left.min(rest.len());
                self.message.extend_from_slice(&rest[..count]);
                self.position += count;
                self.left -= count;
                judge(&self.message)?;
            }
        }
        Continue(())
    }
}

/// Whether the beginning of a message is settled: its type, its length, and where a
/// hello cannot go on as it does. The rest is read when it is all there.
fn judge(message: &[u8]) -> ControlFlow<Answer> {
    let (length, body) = match message {
        [CLIENT_HELLO] | [CLIENT_HELLO, 0] | [CLIENT_HELLO, 0, 0..=0x3f] => return Continue(()),
        [CLIENT_HELLO, 0, high @ 0..=0x3f, low, body @ ..] => {
            (u16::from_be_bytes([*high, *low]), body)
        }
        [CLIENT_HELLO, ..] => return Break(Answer::TooLarge),
        _ => return Break(Answer::NotTls),
    };

    let strange_version = body.first().is_some_and(|major| *major != 3);
    let long_session_id = body.get(SESSION_ID).is_some_and(|length| *length > 32);
    if strange_version || long_session_id {
        return Break(Answer::Malformed);
    }

    match body.get(..length.into()) {
        Some(body) => Break(parse(body).map_or(Answer::Malformed, Answer::Hello)),
        None => Continue(()),
    }
}

/// Five bytes tell: the length, whose first bit is set, the type of the message, and
/// the version that the client would like (RFC 5246, appendix E.2).
fn ssl_v2(bytes: &[u8]) -> ControlFlow<Answer> {
    match bytes {
        [_] | [_, _] | [_, _, CLIENT_HELLO] | [_, _, CLIENT_HELLO, 0 | 3] => Continue(()),
        [_, _, CLIENT_HELLO, 0, 2, ..] | [_, _, CLIENT_HELLO, 3, 0..=4, ..] => Break(Answer::SslV2),
        _ => Break(Answer::NotTls),
    }
}

/// What may be held of one client. A hello has less than 2^14 bytes here, as with
/// others; as much again is for the headers of its records, if they are short.
pub const MOST_BYTES: usize = 1 << 15;

/// The type of a record.
const HANDSHAKE: u8 = 22;

/// Type, version, length.
const RECORD_HEADER: usize = 5;

/// RFC 8446, section 5.1.
const LONGEST_RECORD: usize = 1 << 14;

/// The type of a handshake message.
const CLIENT_HELLO: u8 = 1;

/// Where a hello says how long the session's id is: after version and random number.
const SESSION_ID: usize = 2 + 32;

#[cfg(test)]
mod tests;
