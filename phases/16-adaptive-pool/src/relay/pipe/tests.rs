use std::fs::File;
use std::future::poll_fn;
use std::io::Write;
use std::net;
use std::os::fd::OwnedFd;
use std::thread;

use prometheus::IntCounter;
use tokio::net::TcpListener;

use super::*;
use crate::relay::flow::Flow;
use crate::relay::meter::Meter;

#[test]
fn bytes_of_one_connection_never_reach_another() {
    let mut pipe = Pipe::take().unwrap();
    pipe.writer.write_all(b"secret").unwrap();
    pipe.filled = 6;
    pipe.give_back();

    let pipe = Pipe::take().unwrap();
    assert!(pipe.is_empty());
    // Once nobody can write into it, an empty pipe has ended.
    let Pipe {
        mut reader, writer, ..
    } = pipe;
    drop(writer);
    assert_eq!(reader.read(&mut [0; 6]).unwrap(), 0);
}

#[test]
fn an_empty_pipe_is_used_again() {
    let pipe = Pipe::take().unwrap();
    pipe.give_back();
    assert!(SPARE.take().is_some());
}

#[tokio::test]
async fn what_a_receiver_does_not_take_is_read_back() {
    let (from, mut sender) = socket().await;
    sender.write_all(b"a few bytes").unwrap();
    from.readable().await.unwrap();

    let mut pipe = Pipe::take().unwrap();
    assert_eq!(pipe.fill(&from).unwrap(), 11);
    assert_eq!(pipe.read_rest().unwrap(), b"a few bytes");
    assert!(pipe.is_empty());
}

/// `/dev/null` is no pipe, and the system refuses to splice into it.
#[tokio::test]
async fn where_splice_is_refused_no_byte_is_lost() {
    const SIZE: usize = 1 << 20;
    let (from, mut sender) = socket().await;
    let (to, mut receiver) = socket().await;
    let said: Vec<u8> = (0..SIZE).map(|place| place.to_le_bytes()[1]).collect();
    let saying = said.clone();
    let sending = thread::spawn(move || sender.write_all(&saying));
    let receiving = thread::spawn(move || {
        let mut heard = Vec::new();
        receiver.read_to_end(&mut heard).map(|_| heard)
    });

    let mut pipe = Pipe::take().unwrap();
    pipe.writer = PipeWriter::from(OwnedFd::from(File::create("/dev/null").unwrap()));
    pipe.give_back();
    let mut meter = Meter::new(IntCounter::new("bytes", "bytes").unwrap());
    let mut flow = Flow::new(&from, &to, &mut meter, Splice::Auto);
    poll_fn(|cx| flow.poll(cx)).await.unwrap();
    drop(to);

    sending.join().unwrap().unwrap();
    assert!(receiving.join().unwrap().unwrap() == said);
    assert!(Pipe::take().is_none(), "it is tried again");
}

/// A socket of the proxy, and its other end, which blocks.
async fn socket() -> (TcpStream, net::TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let outside = net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (listener.accept().await.unwrap().0, outside)
}
