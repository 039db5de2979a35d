//! What a backend must understand of HTTP/1.x: where a request ends and how the client wants to
//! go on. Nothing here reads or writes a socket.

#[cfg(test)]
mod tests;

use httparse::{EMPTY_HEADER, Header, Status};

/// A request, as far as an answer that is always the same depends on it.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// Bytes of the head and the body, up to the next request.
    pub length: u64,
    /// The client may wait for [`CONTINUE`] before it sends the body.
    pub expects_continue: bool,
    /// The answer must not have a body.
    pub is_head: bool,
    /// Another request may follow on this connection.
    pub keep_alive: bool,
}

/// Tells whether `bytes` begin an HTTP request: `None` until they decide it.
///
/// Only the registered methods count. Any word could be a method, but then the first word of
/// every chat line would be one, and nothing could be echoed before the end of the line.
pub fn is_request(bytes: &[u8]) -> Option<bool> {
    let mut methods = METHODS.iter().map(|method| method.as_bytes());
    if methods.clone().any(|method| bytes.starts_with(method)) {
        Some(true)
    } else if methods.any(|method| method.starts_with(bytes)) {
        None
    } else {
        Some(false)
    }
}

const METHODS: [&str; 9] = [
    "GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "OPTIONS ", "PATCH ", "TRACE ", "CONNECT ",
];

/// Reads the head at the front of `bytes`: `None` while it is incomplete, and the status to refuse
/// it with if it is broken or too large.
pub fn parse(bytes: &[u8]) -> Result<Option<Request>, &'static str> {
    let mut headers = [EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let head_length = match request.parse(bytes) {
        Ok(Status::Complete(length)) if length <= MAX_HEAD => length,
        Ok(Status::Partial) if bytes.len() < MAX_HEAD => return Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(TOO_LARGE),
        Err(_) => return Err(BAD_REQUEST),
    };

    let is_old = request.version == Some(0);
    let headers = request.headers;
    let wishes = |wish| has_token(headers, "connection", wish);
    // To find the end of a chunked body takes a second parser, for bytes that nobody reads. It is
    // simpler to answer at once and to close, which HTTP allows after any answer.
    let is_chunked = values(headers, "transfer-encoding").next().is_some();
    let body_length = if is_chunked { 0 } else { body_length(headers)? };
    let waits = has_token(headers, "expect", "100-continue");

    Ok(Some(Request {
        length: (head_length as u64).saturating_add(body_length),
        expects_continue: waits && body_length > 0 && !is_old,
        is_head: request.method == Some("HEAD"),
        keep_alive: !is_chunked && !wishes("close") && (!is_old || wishes("keep-alive")),
    }))
}

/// Two different lengths are refused: whoever stands between could believe the other one, and take
/// a part of the body for a request.
fn body_length(headers: &[Header<'_>]) -> Result<u64, &'static str> {
    let mut lengths = values(headers, "content-length");
    let Some(length) = lengths.next() else {
        return Ok(0);
    };
    if lengths.any(|other| other != length) || !length.iter().all(u8::is_ascii_digit) {
        return Err(BAD_REQUEST);
    }
    let text = str::from_utf8(length).map_err(|_| BAD_REQUEST)?;
    text.parse().map_err(|_| BAD_REQUEST)
}

fn has_token(headers: &[Header<'_>], name: &str, token: &str) -> bool {
    values(headers, name)
        .flat_map(|value| value.split(|&byte| byte == b','))
        .any(|item| item.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
}

fn values<'a>(headers: &'a [Header<'_>], name: &str) -> impl Iterator<Item = &'a [u8]> {
    headers
        .iter()
        .filter(move |header| header.name.eq_ignore_ascii_case(name))
        .map(|header| header.value)
}

/// Builds an answer. It always says `Connection`: HTTP/1.0 clients need to hear `keep-alive`, and
/// for all others it does no harm.
pub fn response(status: &str, body: &str, keep_alive: bool) -> String {
    let length = body.len();
    let connection = if keep_alive { "keep-alive" } else { "close" };
    format!(
        "HTTP/1.1 {status}\r\n\
         Content-Type: text/plain\r\n\
         Content-Length: {length}\r\n\
         Connection: {connection}\r\n\
         \r\n\
         {body}"
    )
}

/// The interim answer a client may wait for before it sends a body.
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
/// The status for what began as HTTP and went wrong.
pub const BAD_REQUEST: &str = "400 Bad Request";
/// The status for a head beyond the limits below.
const TOO_LARGE: &str = "431 Request Header Fields Too Large";

/// Bytes of a head, as in most servers (8 to 16 KiB): enough for every browser's cookies, and the
/// bound on what one client can make a backend remember.
const MAX_HEAD: usize = 16 * 1024;
/// Headers of a request. curl sends three, browsers about twenty.
const MAX_HEADERS: usize = 100;
