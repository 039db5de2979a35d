//! Parses the command line, binds, says where it listens, and serves.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::anyhow;
use clap::Parser;
use phase_07::choose::health;
use phase_07::config::Config;
use phase_07::connect::refill;
use phase_07::demo;
use phase_07::proxy::Proxy;
use phase_07::server;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> ExitCode {
    let config = Config::parse();
    config.start_logging();

    match run(config).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(mut config: Config) -> anyhow::Result<()> {
    let listener = bind(config.listen).await?;
    let address = listener.local_addr()?;

    demo::start_if_needed(&mut config, address).await?;

    let proxy = Arc::new(Proxy::new(config).await?);

    health::start(&proxy.config.health, &proxy.backends);
    refill::start(
        &proxy.config.pool,
        proxy.config.connect.timeout,
        &proxy.backends,
    );

    println!("listening on {address}");

    server::serve(listener, proxy).await;
    Ok(())
}

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        anyhow!("cannot listen on {address}: {error}; choose another address with --listen")
    })
}
