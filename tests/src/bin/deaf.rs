//! A program that only looks like a proxy: it listens, says so, and hangs up on
//! every client. The suite has to notice.

use std::io;
use std::net::TcpListener;

fn main() -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        drop(listener.accept()?);
    }
}
