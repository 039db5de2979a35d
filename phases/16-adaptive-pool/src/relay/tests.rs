//! Random clients and backends, and what each of them has to hear. Whatever they do,
//! the right answer can be said in advance.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use proptest::prelude::*;
use proptest::test_runner::{Config as Runs, TestRunner};
use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::yield_now;
use tokio::time::timeout;

use super::*;
use crate::config::Config;

/// What one side does.
#[derive(Debug, Clone)]
struct Plan {
    says: Vec<Step>,

    /// A reset instead of an end.
    breaks: bool,

    /// How often the others have their turn before this side begins to listen.
    deaf: usize,

    /// How much it hears at once.
    sip: usize,
}

#[derive(Debug, Clone)]
enum Step {
    Say(usize),

    Wait(usize),
}

fn plan() -> impl Strategy<Value = Plan> {
    let size = prop_oneof![
        4 => 1..200_usize,
        2 => Just(BUFFER - 1),
        2 => Just(BUFFER),
        2 => Just(BUFFER + 1),
        2 => 1..200_000_usize,
        1 => Just(1 << 20),
    ];
    let step = prop_oneof![
        2 => size.prop_map(Step::Say),
        1 => (1..50_usize).prop_map(Step::Wait),
    ];
    (
        prop::collection::vec(step, 0..6),
        prop::bool::weighted(0.3),
        prop_oneof![Just(0), 1..2000_usize],
        prop_oneof![500..2000_usize, Just(1 << 16)],
    )
        .prop_map(|(says, breaks, deaf, sip)| Plan {
            says,
            breaks,
            deaf,
            sip,
        })
}

/// How it ended for one side.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Closed,

    Reset,

    /// It broke off itself.
    Left,
}

/// Plays a plan. The bytes are counted, and compared with those that `other` says.
async fn play(
    mut stream: TcpStream,
    plan: Plan,
    (side, mut said): (u8, usize),
    other: u8,
) -> (usize, End) {
    let (mut reader, mut writer) = stream.split();
    let refused = Cell::new(false);

    let speak = async {
        for step in &plan.says {
            match *step {
                Step::Say(count) => {
                    if writer.write_all(&text(side, said, count)).await.is_err() {
                        refused.set(true);
                    }
                    said += count;
                }
                Step::Wait(turns) => wait(turns).await,
            }
        }
        if !plan.breaks {
            let _ = writer.shutdown().await;
        }
    };

    let mut heard = 0;
    let listen = async {
        wait(plan.deaf).await;
        let mut bytes = vec![0; plan.sip];
        loop {
            match reader.read(&mut bytes).await {
                // Each error is told once only, and here it was the writer.
                Ok(0) if refused.get() => return End::Reset,
                Ok(0) => return End::Closed,
                Ok(count) => {
                    assert_eq!(bytes[..count], text(other, heard, count));
                    heard += count;
                }
                Err(_) => return End::Reset,
            }
        }
    };

    let end = if plan.breaks {
        tokio::select! {
            () = speak => End::Left,
            // It has heard the end already, and goes on speaking.
            end = async { listen.await; std::future::pending().await } => end,
        }
    } else {
        tokio::join!(speak, listen).1
    };
    if plan.breaks {
        stream.set_zero_linger().unwrap();
    }
    (heard, end)
}

const BUFFER: usize = 16 * 1024;

/// Less, and the system waits for its timers.
const SMALL: usize = 32 * 1024;

async fn wait(turns: usize) {
    for _ in 0..turns {
        yield_now().await;
    }
}

/// What a side says, from `start` on: each byte depends on its place.
fn text(side: u8, start: usize, count: usize) -> Vec<u8> {
    (start..start + count)
        .map(|place| place.wrapping_mul(0x9E37_79B1).to_le_bytes()[2] ^ side)
        .collect()
}

fn size(plan: &Plan) -> usize {
    plan.says
        .iter()
        .map(|step| match step {
            Step::Say(count) => *count,
            Step::Wait(_) => 0,
        })
        .sum()
}

/// With small buffers everybody has to wait for everybody. Then, however, a system
/// may throw away a packet that it has no room for, and what follows a reset is not
/// sent again.
async fn pair(small: bool) -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (outside, inside) = tokio::join!(TcpStream::connect(address), listener.accept());
    let (outside, inside) = (outside.unwrap(), inside.unwrap().0);
    if small {
        for stream in [&outside, &inside] {
            SockRef::from(stream).set_send_buffer_size(SMALL).unwrap();
            SockRef::from(stream).set_recv_buffer_size(SMALL).unwrap();
        }
    }
    (outside, inside)
}

/// What a relay did, and what both sides heard through it.
#[derive(Debug)]
struct Outcome {
    result: Result<(), Error>,

    from_client: usize,

    from_backend: usize,

    client: (usize, End),

    backend: (usize, End),
}

async fn run(up: &Plan, down: &Plan, splice: &str, small: bool, early: usize) -> Outcome {
    let config = Config::parse_from(["proxy", "--backend", "127.0.0.1:9", "--splice", splice]);
    let proxy = Arc::new(Proxy::new(config).await.unwrap());
    let (client, accepted) = pair(small).await;
    let (stream, backend) = pair(small).await;
    let mut record = Record::new(Arc::clone(&proxy), accepted.peer_addr().unwrap());

    let relayed = async {
        let (early, backend) = (text(1, 0, early), &proxy.backends[0]);
        let result = relay(&proxy, &accepted, early, &stream, backend, &mut record);
        let result = result.await;
        drop((accepted, stream));
        result
    };
    let all = async {
        tokio::join!(
            relayed,
            play(client, up.clone(), (1, early), 2),
            play(backend, down.clone(), (2, 0), 1),
        )
    };
    let (result, client, backend) = timeout(Duration::from_secs(20), all)
        .await
        .expect("everybody goes on");

    Outcome {
        result,
        from_client: usize::try_from(record.from_client.bytes()).unwrap(),
        from_backend: usize::try_from(record.from_backend.bytes()).unwrap(),
        client,
        backend,
    }
}

fn is_right(
    up: &Plan,
    down: &Plan,
    small: bool,
    early: usize,
    saw: &Outcome,
) -> Result<(), TestCaseError> {
    let (said_up, said_down) = (early + size(up), size(down));
    let (client, backend) = (&saw.client, &saw.backend);

    // Nothing is invented.
    prop_assert!(backend.0 <= saw.from_client && saw.from_client <= said_up);
    prop_assert!(client.0 <= saw.from_backend && saw.from_backend <= said_down);

    match (up.breaks, down.breaks) {
        // Everybody hears everything, and then the end.
        (false, false) => {
            prop_assert!(saw.result.is_ok());
            prop_assert_eq!((said_up, said_down), (saw.from_client, saw.from_backend));
            prop_assert_eq!(client, &(said_down, End::Closed));
            prop_assert_eq!(backend, &(said_up, End::Closed));
        }

        // What was received before the reset arrives, and then the reset.
        (true, false) => {
            prop_assert_eq!(blamed(&saw.result), Some(Side::Client));
            prop_assert_eq!(&backend.1, &End::Reset);
            prop_assert!(small || backend.0 == saw.from_client);
        }
        (false, true) => {
            prop_assert_eq!(blamed(&saw.result), Some(Side::Backend));
            prop_assert_eq!(&client.1, &End::Reset);
            prop_assert!(small || client.0 == saw.from_backend);
        }

        (true, true) => prop_assert!(saw.result.is_err()),
    }
    Ok(())
}

fn blamed(result: &Result<(), Error>) -> Option<Side> {
    match result {
        Err(Error::Relay { side, .. }) => Some(*side),
        _ => None,
    }
}

fn try_many(splice: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let early = prop_oneof![3 => Just(0), 1 => 1..20_000_usize];
    let plans = (plan(), plan(), any::<bool>(), early);

    let runs = Runs {
        cases: 32,
        failure_persistence: None,
        ..Runs::default()
    };
    TestRunner::new(runs)
        .run(&plans, |(up, down, small, early)| {
            let saw = runtime.block_on(run(&up, &down, splice, small, early));
            is_right(&up, &down, small, early, &saw)
                .map_err(|error| TestCaseError::fail(format!("{error}; {saw:?}")))
        })
        .unwrap();
}

/// Whoever writes to a side that has broken off gets the error that reading would have
/// told, and reading then tells of nothing but an end. What was received before is
/// still there.
#[tokio::test]
async fn last_words_are_heard_when_it_is_writing_that_fails() {
    for splice in ["auto", "off"] {
        let config = Config::parse_from(["proxy", "--backend", "127.0.0.1:9", "--splice", splice]);
        let proxy = Arc::new(Proxy::new(config).await.unwrap());
        let (mut client, accepted) = pair(false).await;
        let (stream, mut backend) = pair(false).await;
        let mut record = Record::new(Arc::clone(&proxy), accepted.peer_addr().unwrap());

        let said = text(2, 0, 50_000);
        backend.write_all(&said).await.unwrap();
        backend.set_zero_linger().unwrap();
        drop(backend);
        client.write_all(b"?").await.unwrap();

        let relayed = relay(
            &proxy,
            &accepted,
            Vec::new(),
            &stream,
            &proxy.backends[0],
            &mut record,
        );
        assert_eq!(blamed(&relayed.await), Some(Side::Backend));
        drop(accepted);

        let mut heard = Vec::new();
        assert!(client.read_to_end(&mut heard).await.is_err());
        assert!(heard == said, "{} of {} bytes", heard.len(), said.len());
    }
}

#[test]
fn any_schedule_with_a_pipe() {
    try_many("auto");
}

#[test]
fn any_schedule_without_a_pipe() {
    try_many("off");
}
