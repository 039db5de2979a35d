use crate::{Client, answer};

const GET: &str = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";

#[tokio::test]
async fn each_backend_says_its_name_and_the_client() {
    let addresses = phase_00::start(3).await.unwrap();
    for (number, address) in (1..).zip(addresses) {
        let mut client = Client::of(address, number).await;
        client.send(GET).await;
        client
            .expect(&answer("200 OK", "keep-alive", &client.line()))
            .await;
    }
}

#[tokio::test]
async fn a_connection_serves_one_request_after_the_other() {
    let mut client = Client::new().await;
    let answer = answer("200 OK", "keep-alive", &client.line());
    for _ in 0..3 {
        client.send(GET).await;
        client.expect(&answer).await;
    }
    // Some clients end a body with an empty line that its length does not count.
    client.send("\r\n").await;
    client.end().await;
    client.expect_last("").await;
}

#[tokio::test]
async fn pipelined_requests_are_all_answered_in_order() {
    let mut client = Client::new().await;
    let line = client.line();
    client.send(GET.repeat(99)).await;
    client
        .send("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")
        .await;
    let answers = answer("200 OK", "keep-alive", &line).repeat(99);
    client
        .expect_last(&(answers + &answer("200 OK", "close", &line)))
        .await;
}

#[tokio::test]
async fn a_request_may_come_byte_by_byte() {
    let mut client = Client::new().await;
    for byte in GET.bytes() {
        client.send([byte]).await;
    }
    client
        .expect(&answer("200 OK", "keep-alive", &client.line()))
        .await;
}

#[tokio::test]
async fn http_1_0_closes_unless_the_client_wants_to_go_on() {
    let mut client = Client::new().await;
    let line = client.line();
    client
        .send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        .await;
    client.expect(&answer("200 OK", "keep-alive", &line)).await;
    client.send("GET / HTTP/1.0\r\n\r\n").await;
    client.expect_last(&answer("200 OK", "close", &line)).await;
}

#[tokio::test]
async fn head_is_answered_with_the_length_of_a_body_and_none() {
    let mut client = Client::new().await;
    let whole = answer("200 OK", "keep-alive", &client.line());
    let (head, _body) = whole.split_once("hello").unwrap();
    client.send("HEAD / HTTP/1.1\r\n\r\n").await;
    client.expect(head).await;
    client.send(GET).await;
    client.expect(&whole).await;
}

#[tokio::test]
async fn a_body_is_skipped_wherever_it_is_cut() {
    // The body looks like a request, so one byte too few or too many would show.
    let post = format!(
        "POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{GET}",
        GET.len()
    );
    let mut client = Client::new().await;
    let answer = answer("200 OK", "keep-alive", &client.line());
    for cut in 1..post.len() {
        client.send(&post[..cut]).await;
        client.send(&post[cut..]).await;
        client.expect(&answer).await;
    }
    client.send(GET).await;
    client.expect(&answer).await;
}

#[tokio::test]
async fn a_large_body_is_skipped_and_the_connection_goes_on() {
    let mut client = Client::new().await;
    let answer = answer("200 OK", "keep-alive", &client.line());
    client
        .send("PUT / HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n")
        .await;
    client.send(vec![b'x'; 10_000_000]).await;
    client.send(GET).await;
    client.expect(&answer.repeat(2)).await;
}

#[tokio::test]
async fn a_client_that_asks_before_it_sends_a_body_is_told_to_go_on() {
    let mut client = Client::new().await;
    client
        .send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
        .await;
    client.expect("HTTP/1.1 100 Continue\r\n\r\n").await;
    client.send("body").await;
    client
        .expect(&answer("200 OK", "keep-alive", &client.line()))
        .await;
}

#[tokio::test]
async fn a_chunked_body_is_answered_at_once_and_ends_the_connection() {
    let mut client = Client::new().await;
    client
        .send("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n")
        .await;
    client
        .expect_last(&answer("200 OK", "close", &client.line()))
        .await;
    client.send("5\r\nhello\r\n0\r\n\r\n").await;
}

#[tokio::test]
async fn what_begins_as_http_and_goes_wrong_is_refused() {
    for request in [
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "GET / HTTP/2.0\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: five\r\n\r\nhello",
    ] {
        let mut client = Client::new().await;
        client.send(request).await;
        client
            .expect_last(&answer("400 Bad Request", "close", "400 Bad Request\n"))
            .await;
    }
}

#[tokio::test]
async fn a_request_without_end_is_refused() {
    for request in [
        "GET / HTTP/1.1\r\nHost:",
        "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhell",
    ] {
        let mut client = Client::new().await;
        client.send(request).await;
        client.end().await;
        client
            .expect_last(&answer("400 Bad Request", "close", "400 Bad Request\n"))
            .await;
    }
}

#[tokio::test]
async fn noise_after_a_request_is_refused_and_empty_lines_are_not() {
    let mut client = Client::new().await;
    let line = client.line();
    client.send(GET).await;
    client.send("\r\n").await;
    client.send(GET).await;
    client
        .expect(&answer("200 OK", "keep-alive", &line).repeat(2))
        .await;
    client.send("\0\0\0").await;
    client
        .expect_last(&answer("400 Bad Request", "close", "400 Bad Request\n"))
        .await;
}

#[tokio::test]
async fn the_refusal_of_a_large_head_reaches_a_client_that_is_still_sending() {
    let mut client = Client::new().await;
    client.send("GET / HTTP/1.1\r\nCookie: ").await;
    client.send(vec![b'x'; 10_000_000]).await;
    let status = "431 Request Header Fields Too Large";
    client
        .expect_last(&answer(status, "close", &format!("{status}\n")))
        .await;
}
