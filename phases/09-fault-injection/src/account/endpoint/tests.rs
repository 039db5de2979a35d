use super::*;

const GET: &[u8] = b"GET /metrics HTTP/1.1\r\nHost: proxy:9100\r\nAccept: text/plain\r\n\r\n";

#[test]
fn a_request_is_judged_when_its_head_is_complete_and_not_before() {
    for end in 0..GET.len() {
        assert_eq!(judge(&GET[..end]), None, "{end}");
    }
    assert_eq!(judge(GET), Some("200 OK"));
}

#[test]
fn only_get_metrics_is_answered() {
    for (line, status) in [
        ("GET /metrics?name[]=x HTTP/1.0", "200 OK"),
        ("POST /metrics HTTP/1.1", "405 Method Not Allowed"),
        ("HEAD /metrics HTTP/1.1", "405 Method Not Allowed"),
        ("GET / HTTP/1.1", "404 Not Found"),
        ("GET /metrics/ HTTP/1.1", "404 Not Found"),
        ("POST / HTTP/1.1", "404 Not Found"),
        ("\u{1}\u{2}", "400 Bad Request"),
    ] {
        assert_eq!(
            judge(format!("{line}\r\n\r\n").as_bytes()),
            Some(status),
            "{line}"
        );
    }
}

#[test]
fn a_head_is_bounded() {
    let mut head = b"GET /metrics HTTP/1.1\r\nX: ".to_vec();
    head.resize(LONGEST_HEAD - 1, b'x');
    assert_eq!(judge(&head), None);
    head.push(b'x');
    assert_eq!(judge(&head), Some("431 Request Header Fields Too Large"));

    let many = "X: y\r\n".repeat(65);
    let head = format!("GET /metrics HTTP/1.1\r\n{many}\r\n");
    assert_eq!(
        judge(head.as_bytes()),
        Some("431 Request Header Fields Too Large")
    );
}
