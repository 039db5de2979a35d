//! Shows the rendered book to a browser on this machine.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::thread;

use anyhow::{Context, Result};

/// Serves the files of `folder` until it is killed.
pub fn serve(folder: &Path) -> Result<()> {
    let listener =
        TcpListener::bind(ADDRESS).with_context(|| format!("cannot listen on {ADDRESS}"))?;
    println!("http://{ADDRESS}");
    for client in listener.incoming().flatten() {
        let folder = folder.to_owned();
        // A browser that leaves early is no failure of the server.
        thread::spawn(move || answer(&client, &folder).ok());
    }
    Ok(())
}

const ADDRESS: &str = "127.0.0.1:3000";

fn answer(mut client: &TcpStream, folder: &Path) -> Result<()> {
    let mut request = String::new();
    BufReader::new(client.take(8 * 1024)).read_line(&mut request)?;
    let path = request.split(' ').nth(1).unwrap_or("/");
    let path = path
        .split(['?', '#'])
        .next()
        .unwrap_or_default()
        .trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let is_inside = path.split('/').all(|part| part != "..");
    let (status, body) = match fs::read(folder.join(path)) {
        Ok(body) if is_inside => ("200 OK", body),
        _ => ("404 Not Found", b"not found\n".to_vec()),
    };
    let kind = match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("svg") => "image/svg+xml",
        Some("json") => "application/json",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    };
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    client.write_all(&body)?;
    Ok(())
}
