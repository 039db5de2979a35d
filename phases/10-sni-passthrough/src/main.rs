//! Parses the command line, binds, says where it listens, and serves.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::anyhow;
use clap::Parser;
use phase_10::account::endpoint;
use phase_10::account::endpoint::MetricsAddress;
use phase_10::choose::health;
use phase_10::config::Config;
use phase_10::connect::refill;
use phase_10::demo;
use phase_10::proxy::Proxy;
use phase_10::server;
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
    let listener = bind(config.listen, "another address with --listen").await?;
    let address = listener.local_addr()?;

    let metrics_listener = match config.metrics.address {
        MetricsAddress::Off => None,
        MetricsAddress::At(address) => {
            Some(bind(address, "another address with --metrics, or --metrics off").await?)
        }
    };

    demo::start_if_needed(&mut config, address).await?;

    let proxy = Arc::new(Proxy::new(config).await?);

    health::start(&proxy.config.health, &proxy.backends);
    refill::start(
        &proxy.config.pool,
        proxy.config.connect.timeout,
        &proxy.backends,
    );

    println!("listening on {address}");

    if let Some(listener) = metrics_listener {
        println!("metrics on http://{}/metrics", listener.local_addr()?);
        let errors = proxy.metrics.accept_errors.clone();
        let page = {
            let proxy = Arc::clone(&proxy);
            move || proxy.metrics.render(&proxy.backends)
        };
        tokio::spawn(endpoint::serve(listener, errors, page));
    }

    server::serve(listener, proxy).await;
    Ok(())
}

async fn bind(address: SocketAddr, hint: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .map_err(|error| anyhow!("cannot listen on {address}: {error}; choose {hint}"))
}
