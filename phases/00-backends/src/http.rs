//! What a backend must understand of HTTP/1.x: where a request ends and how the client wants to
//! go on. Nothing here reads or writes a socket.

#[cfg(test)]
mod tests;

use httparse::{EMPTY_HEADER, Header, Status};

/// A request, as far as an answer that is always the same depends on it.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    /// Bytes up to and including the empty line.
    pub head_length: usize,
    /// Bytes of the body after it that must be skipped to reach the next request.
    pub body_length: u64,
    /// The client sends the body only after an interim answer.
    pub expects_continue: bool,
    /// The answer must not have a body.
    pub is_head: bool,
    /// Another request may follow on this connection.
    pub keep_alive: bool,
}

/// Tells whether `bytes` begin an HTTP request; `None` until they decide it.
///
/// Only the registered methods count. Any word could be a method, but then the first word of
/// every chat line would be one, and nothing could be echoed before the end of the line.
pub fn is_request(bytes: &[u8]) -> Option<bool> {
    if METHODS.iter().any(|method| bytes.starts_with(method)) {
        Some(true)
    } else if METHODS.iter().any(|method| method.starts_with(bytes)) {
        None
    } else {
        Some(false)
    }
}

const METHODS: [&[u8]; 9] = [
    b"GET ",
    b"HEAD ",
    b"POST ",
    b"PUT ",
    b"DELETE ",
    b"OPTIONS ",
    b"PATCH ",
    b"TRACE ",
    b"CONNECT ",
];

/// Reads the head at the front of `bytes`; `None` while it is incomplete.
///
/// # Errors
/// The status to refuse it with.
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
    // The end of a chunked body can be found only by a second parser, for bytes that nobody
    // reads. It is simpler to answer at once and to close, which HTTP allows at any time.
    let is_chunked = values(headers, "transfer-encoding").next().is_some();
    let body_length = if is_chunked { 0 } else { body_length(headers)? };
    let wishes = |wish| has_token(headers, "connection", wish);

    Ok(Some(Request {
        head_length,
        body_length,
        expects_continue: body_length > 0
            && !is_old
            && has_token(headers, "expect", "100-continue"),
        is_head: request.method == Some("HEAD"),
        keep_alive: !is_chunked && !wishes("close") && (!is_old || wishes("keep-alive")),
    }))
}

/// A client that announces two different lengths may be trying to hide a request in a body.
fn body_length(headers: &[Header<'_>]) -> Result<u64, &'static str> {
    let mut announced = None;
    for value in values(headers, "content-length") {
        let length = std::str::from_utf8(value)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|text| text.parse().ok())
            .ok_or(BAD_REQUEST)?;
        if announced.is_some_and(|other| other != length) {
            return Err(BAD_REQUEST);
        }
        announced = Some(length);
    }
    Ok(announced.unwrap_or(0))
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

/// Builds a whole answer. `Connection` is always said, because HTTP/1.0 clients need to hear
/// `keep-alive` and a reader with curl likes to see it.
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
