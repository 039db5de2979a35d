use std::io::Write;

use tokio::net::TcpListener;

use super::*;

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
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut sender = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (from, _) = listener.accept().await.unwrap();
    sender.write_all(b"a few bytes").unwrap();
    from.readable().await.unwrap();

    let mut pipe = Pipe::take().unwrap();
    assert_eq!(pipe.fill(&from).unwrap(), 11);
    assert_eq!(pipe.read_rest().unwrap(), b"a few bytes");
    assert!(pipe.is_empty());
}
