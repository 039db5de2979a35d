use super::*;

const POST: &[u8] = b"POST /form HTTP/1.1\r\nHost: a.example\r\nContent-Length: 5\r\n\r\n";

fn request(head: &[u8]) -> Request {
    parse(head).unwrap().unwrap()
}

#[test]
fn every_prefix_of_a_request_needs_more() {
    for cut in 0..POST.len() {
        assert_eq!(parse(&POST[..cut]), Ok(None), "cut at {cut}");
    }
    let whole = Request {
        length: POST.len() as u64 + 5,
        expects_continue: false,
        is_head: false,
        keep_alive: true,
    };
    assert_eq!(parse(POST), Ok(Some(whole)));
}

#[test]
fn what_follows_a_request_does_not_belong_to_it() {
    let two = [POST, b"hello", POST].concat();
    assert_eq!(request(&two).length, POST.len() as u64 + 5);
}

#[test]
fn a_method_is_known_at_its_space_and_not_before() {
    for method in METHODS.map(str::as_bytes) {
        for cut in 0..method.len() {
            assert_eq!(is_request(&method[..cut]), None);
        }
        assert_eq!(is_request(method), Some(true));
    }
}

#[test]
fn anything_else_is_known_at_the_first_byte_that_differs() {
    for bytes in ["h", "\n", "GEt", "PI", "POSTS", "get", "\u{16}", "GET\t"] {
        assert_eq!(is_request(bytes.as_bytes()), Some(false), "{bytes:?}");
    }
}

#[test]
fn the_version_and_the_connection_header_decide_about_another_request() {
    for (version, connection, keep_alive) in [
        ("1.1", "", true),
        ("1.1", "Connection: close\r\n", false),
        ("1.1", "Connection: Upgrade,  CLOSE\r\n", false),
        (
            "1.1",
            "Connection: keep-alive\r\nConnection: close\r\n",
            false,
        ),
        ("1.1", "Connection: closed\r\n", true),
        ("1.0", "", false),
        ("1.0", "connection: Keep-Alive\r\n", true),
        ("1.0", "Connection: keep-alive, close\r\n", false),
    ] {
        let head = format!("GET / HTTP/{version}\r\n{connection}\r\n");
        assert_eq!(request(head.as_bytes()).keep_alive, keep_alive, "{head}");
    }
}

#[test]
fn a_chunked_body_ends_the_connection_whatever_its_length_claims() {
    let head = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n";
    let request = request(head);
    assert!(!request.keep_alive);
    assert_eq!(request.length, head.len() as u64);
}

#[test]
fn only_one_plain_number_is_a_length() {
    for (value, accepted) in [
        ("0", true),
        ("18446744073709551615", true),
        ("5\r\nContent-Length: 5", true),
        ("18446744073709551616", false),
        ("5\r\nContent-Length: 6", false),
        ("5, 5", false),
        ("+5", false),
        ("-5", false),
        ("0x5", false),
        ("", false),
    ] {
        let head = format!("POST / HTTP/1.1\r\nContent-Length: {value}\r\n\r\n");
        assert_eq!(parse(head.as_bytes()).is_ok(), accepted, "{value:?}");
    }
}

#[test]
fn continue_is_expected_only_where_a_body_can_wait_for_it() {
    for (version, length, expected) in [("1.1", 5, true), ("1.1", 0, false), ("1.0", 5, false)] {
        let head = format!(
            "PUT / HTTP/{version}\r\nExpect: 100-Continue\r\nContent-Length: {length}\r\n\r\n"
        );
        assert_eq!(
            request(head.as_bytes()).expects_continue,
            expected,
            "{head}"
        );
    }
}

#[test]
fn a_head_may_have_16_kib_and_not_one_byte_more() {
    let head = |size: usize| {
        let (start, end) = ("GET / HTTP/1.1\r\nX: ", "\r\n\r\n");
        format!("{start}{}{end}", "x".repeat(size - start.len() - end.len())).into_bytes()
    };
    assert_eq!(request(&head(MAX_HEAD)).length, MAX_HEAD as u64);
    assert_eq!(parse(&head(MAX_HEAD + 1)), Err(TOO_LARGE));

    let endless = head(2 * MAX_HEAD);
    assert_eq!(parse(&endless[..MAX_HEAD - 1]), Ok(None));
    assert_eq!(parse(&endless[..MAX_HEAD]), Err(TOO_LARGE));
}

#[test]
fn too_many_headers_are_too_large() {
    let head = format!(
        "GET / HTTP/1.1\r\n{}\r\n",
        "A: b\r\n".repeat(MAX_HEADERS + 1)
    );
    assert_eq!(parse(head.as_bytes()), Err(TOO_LARGE));
}

#[test]
fn what_is_broken_is_refused_before_its_end() {
    for bytes in [
        "GET / HTTP/2.0\r\n",
        "GET me out of here\n",
        "GET / HTTP/1.1\r\nno colon\r\n",
    ] {
        assert_eq!(parse(bytes.as_bytes()), Err(BAD_REQUEST), "{bytes:?}");
    }
}
