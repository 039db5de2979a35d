//! One connection, from its first byte to its end.
//!
//! An optional PROXY header says who the client is. The bytes after it are either HTTP requests
//! or something to echo; the first few decide, once for the whole connection.

#[cfg(test)]
mod tests;

use std::{io, net::SocketAddr};

use tokio::net::TcpStream;

use crate::{
    http,
    proxy::{self, Answer},
    socket::Socket,
};

/// Serves one client until either side ends the connection.
///
/// What it remembers of the client is bounded: every loop below that waits for more bytes ends
/// when a parser has seen enough, at the latest at the parser's limit.
pub async fn serve(stream: TcpStream, peer: SocketAddr, greeting: &str) -> io::Result<()> {
    // Without this, the second of two pipelined answers would wait until the client acknowledges
    // the first, and clients delay their acknowledgements.
    stream.set_nodelay(true)?;

    let mut socket = Socket::new(stream);
    let client = identify(&mut socket, peer).await?;
    if speaks_http(&mut socket).await? {
        answer(socket, &format!("{greeting}, you are {client}\n")).await
    } else {
        socket.echo().await
    }
}

/// Takes the PROXY header off the front, if there is one, and tells who the client is.
async fn identify(socket: &mut Socket, peer: SocketAddr) -> io::Result<String> {
    let peer = proxy::unmapped(peer);
    loop {
        match proxy::parse(socket.arrived()) {
            Answer::NeedMore if socket.fill().await? => {}
            // After the client's end, "need more" means that there is no header.
            Answer::NeedMore | Answer::NotThis => return Ok(peer.to_string()),
            Answer::Parsed(header) => {
                socket.skip(header.length as u64).await?;
                let version = header.version;
                return Ok(match header.client {
                    Some(client) => format!("{client} (PROXY v{version})"),
                    None => format!("{peer} (PROXY v{version} without address)"),
                });
            }
        }
    }
}

/// Waits until the bytes tell whether they are HTTP. If the client ends before, they are not.
async fn speaks_http(socket: &mut Socket) -> io::Result<bool> {
    loop {
        match http::is_request(socket.arrived()) {
            Some(decided) => return Ok(decided),
            None if socket.fill().await? => {}
            None => return Ok(false),
        }
    }
}

/// Answers requests with `line`, one after the other, until the client has had enough.
async fn answer(mut socket: Socket, line: &str) -> io::Result<()> {
    loop {
        let request = match http::parse(socket.arrived()) {
            Ok(Some(request)) => request,
            Ok(None) if socket.fill().await? => continue,
            Ok(None) if socket.arrived().trim_ascii().is_empty() => return socket.close().await,
            Ok(None) => return refuse(socket, http::BAD_REQUEST).await,
            Err(status) => return refuse(socket, status).await,
        };

        if request.expects_continue {
            socket.send(http::CONTINUE).await?;
        }
        if !socket.skip(request.length).await? {
            return refuse(socket, http::BAD_REQUEST).await;
        }

        let mut response = http::response("200 OK", line, request.keep_alive);
        if request.is_head {
            response.truncate(response.len() - line.len());
        }
        socket.send(response.as_bytes()).await?;
        if !request.keep_alive {
            return socket.close().await;
        }
    }
}

/// Answers with an error and ends: after a broken request nobody knows where the next one begins.
async fn refuse(mut socket: Socket, status: &str) -> io::Result<()> {
    let response = http::response(status, &format!("{status}\n"), false);
    socket.send(response.as_bytes()).await?;
    socket.close().await
}
