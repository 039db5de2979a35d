//! Reads the first bytes of a client, until they say what they are.

use std::io::{self, ErrorKind};
use std::pin::pin;
use std::time::Duration;

use clap::Args;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::config::value::duration;
use crate::identify::hello::body::Hello;
use crate::identify::hello::{Answer, Reader};

/// How long a client may take to say where it wants to go.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Identify")]
pub struct PeekSettings {
    /// How long a client may say nothing, or only a part of its name; then it goes to
    /// `--backend`. Clients that do not speak TLS do not wait
    #[arg(id = "sni-peek-timeout", long, value_name = "TIME", default_value = DEFAULT_SNI_PEEK_TIMEOUT, value_parser = duration)]
    pub timeout: Duration,
}

/// Reads until the bytes are settled, or the deadline, and says for the metrics what
/// they are.
///
/// The deadline is only for those who say nothing, or their name slowly: all others
/// are answered at their first bytes. What has come by then is kept.
pub async fn peek(
    client: &mut TcpStream,
    early: &mut Vec<u8>,
    limit: Duration,
) -> io::Result<(&'static str, Option<Hello>)> {
    let mut asking = pin!(ask(client, early));

    // The clock goes on while the program is stopped. Then it may ring before the
    // runtime has looked at what came meanwhile, so it counts the second time only.
    for limit in [limit, LOOK_AGAIN] {
        if let Ok(answer) = timeout(limit, asking.as_mut()).await {
            return answer;
        }
    }
    Ok(("timeout", None))
}

/// Reads until the bytes are settled.
///
/// Whoever leaves without a word goes nowhere. Whoever says something and then no
/// more (FIN) may still want an answer.
async fn ask(
    client: &mut TcpStream,
    early: &mut Vec<u8>,
) -> io::Result<(&'static str, Option<Hello>)> {
    let mut reader = Reader::default();
    early.reserve(USUAL_HELLO);

    loop {
        if client.read_buf(early).await? == 0 {
            return if early.is_empty() {
                Err(ErrorKind::UnexpectedEof.into())
            } else {
                Ok(("eof", None))
            };
        }

        let label = match reader.read(early) {
            Answer::NeedMore => continue,
            Answer::Hello(hello) if hello.name.is_some() => return Ok(("tls_sni", Some(hello))),
            Answer::Hello(hello) => return Ok(("tls_no_sni", Some(hello))),
            Answer::NotTls => "not_tls",
            Answer::SslV2 => "sslv2",
            Answer::Malformed => "malformed",
            Answer::TooLarge => "too_large",
        };
        return Ok((label, None));
    }
}

/// Where most hellos end, also with a post-quantum key share (about 1.8 kB). The
/// buffer doubles when it is full.
const USUAL_HELLO: usize = 2048;

/// Time for the runtime to look at the sockets. Clients that say nothing wait for it.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// A packet that is lost is sent again after a second (RFC 6298), and again after two
/// more. Shorter loses the names of clients that are far away; longer is felt only
/// where the server should speak first, and there `detect=off` is the mend.
const DEFAULT_SNI_PEEK_TIMEOUT: &str = "3s";

#[cfg(test)]
mod tests;
