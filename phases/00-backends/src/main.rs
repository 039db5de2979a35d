//! Starts the demo backends, says where they are, and serves until it is killed.

use std::{future, net::SocketAddr, process::ExitCode};

use clap::Parser;

/// Three small backends: something to proxy to.
#[derive(Parser)]
struct Arguments {
    /// Where to listen: one backend for each address; port 0 takes a free port.
    #[arg(
        long,
        value_name = "ADDR",
        default_values = ["127.0.0.1:9001", "127.0.0.1:9002", "127.0.0.1:9003"]
    )]
    listen: Vec<SocketAddr>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let mut lines = Vec::new();
    for (number, wanted) in (1..).zip(Arguments::parse().listen) {
        match phase_00::listen(wanted, number).await {
            Ok(address) => lines.push(format!("backend {number} listening on {address}")),
            Err(error) => {
                eprintln!(
                    "error: cannot listen on {wanted}: {error}; choose another with --listen"
                );
                return ExitCode::FAILURE;
            }
        }
    }

    // Only now: whoever has read one line can rely on all backends.
    println!("{}", lines.join("\n"));
    future::pending().await
}
