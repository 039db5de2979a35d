use clap::Parser;
use testkit::backend::Backend as Server;

use super::*;
use crate::config::Config;

/// The states after each of the answers (`+` alive, `-` not), beginning with up.
fn states(answers: &str) -> String {
    let settings = Config::parse_from(["proxy", "--rise", "2", "--fall", "3"]).health;
    let mut streak = Streak::default();
    let mut up = true;
    answers
        .chars()
        .map(|answer| {
            if streak.contradicts(up, answer == '+', &settings) {
                up = !up;
            }
            if up { 'U' } else { 'd' }
        })
        .collect()
}

#[test]
fn three_failures_in_a_row_are_a_fall() {
    assert_eq!(states("----"), "UUdd");
    assert_eq!(states("--+--+--+"), "UUUUUUUUU");
}

#[test]
fn two_answers_in_a_row_are_a_rise() {
    assert_eq!(states("---++"), "UUddU");
    assert_eq!(states("---+-+-++"), "UUddddddU");
}

#[test]
fn a_recovered_backend_starts_with_a_clean_sheet() {
    assert_eq!(states("---++--+---"), "UUddUUUUUUd");
}

#[test]
fn jitter_stays_within_a_tenth() {
    let second = Duration::from_secs(1);
    for _ in 0..1000 {
        let jittered = jittered(second);
        assert!(jittered >= second * 9 / 10 && jittered < second * 11 / 10);
    }
}

/// How a staying check of `server` ends.
async fn checked<T: Send + 'static>(server: Server<T>) -> Result<(), String> {
    let backend = Backend::new("a".to_owned(), vec![server.addr()], 1);
    let answer = stay(&backend, Duration::from_secs(1), b"").await;
    answer.map_err(|error| error.to_string())
}

#[tokio::test]
async fn who_waits_or_greets_is_alive_and_who_hangs_up_is_not() {
    assert_eq!(checked(Server::silent()).await, Ok(()));

    let greeting = Server::start(|peer, _| _ = peer.say("welcome"));
    assert_eq!(checked(greeting).await, Ok(()));

    let hung_up = checked(Server::hanging_up()).await;
    assert_eq!(hung_up, Err("it hangs up without a word".to_owned()));

    let reset = Server::start(|peer, _| peer.reset());
    assert!(checked(reset).await.is_err());
}

#[tokio::test]
async fn a_backend_that_expects_a_header_gets_one() {
    let server = Server::start(|peer, _| peer.hear_all().0);
    let backend = Backend::new("a".to_owned(), vec![server.addr()], 1);
    let header = b"PROXY UNKNOWN\r\n";
    stay(&backend, Duration::from_secs(1), header)
        .await
        .unwrap();
    assert_eq!(server.next(), header);
}
