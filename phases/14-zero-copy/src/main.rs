//! Parses the command line, binds, says where it listens, and serves.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::Parser;
use phase_14::accept::listen::{ListenAddress, Listener};
use phase_14::account::endpoint;
use phase_14::account::endpoint::MetricsAddress;
use phase_14::admit::descriptors;
use phase_14::choose::health;
use phase_14::config::Config;
use phase_14::connect::refill;
use phase_14::leave::signals::Signals;
use phase_14::proxy::Proxy;
use phase_14::{demo, log, server};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing::warn;

fn main() -> ExitCode {
    let config = Config::parse();
    let mut log = log::start(config.log_format);

    let code = match run(config) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = log.write(format!("error: {error:#}\n").as_bytes());
            ExitCode::FAILURE
        }
    };

    // After the runtime, and so after what its tasks had to say.
    log.finish();
    code
}

#[tokio::main]
async fn run(mut config: Config) -> anyhow::Result<()> {
    config.admit.max_connections = descriptors::enough_for(config.admit.max_connections);

    let mut listeners = Vec::new();
    for &ListenAddress { address, detect } in &config.listen {
        let socket = bind(address, "another address with --listen").await?;
        listeners.push(Listener { socket, detect });
    }

    let metrics_listener = match config.metrics.address {
        MetricsAddress::Off => None,
        MetricsAddress::At(address) => {
            Some(bind(address, "another address with --metrics, or --metrics off").await?)
        }
    };

    demo::start_if_needed(&mut config, &listeners).await?;

    let proxy = Arc::new(Proxy::new(config).await?);

    for listener in &listeners {
        let address = listener.socket.local_addr()?;
        for backend in &proxy.backends {
            backend.must_not_be(address)?;
        }
    }

    let header = proxy.config.announce.form.of_nobody();
    health::start(&proxy.config.health, &proxy.backends, header);
    refill::start(
        &proxy.config.pool,
        proxy.config.connect.timeout,
        &proxy.backends,
    );

    // Before anybody can know that there is something to end.
    let mut signals = Signals::catch()?;

    for listener in &listeners {
        print(&format!("listening on {}", listener.socket.local_addr()?));
    }

    if let Some(listener) = metrics_listener {
        print(&format!(
            "metrics on http://{}/metrics",
            listener.local_addr()?
        ));
        let errors = proxy.metrics.accept_errors.clone();
        let page = {
            let proxy = Arc::clone(&proxy);
            move || proxy.metrics.render(&proxy.backends)
        };
        tokio::spawn(endpoint::serve(listener, errors, page));
    }

    let stop = CancellationToken::new();

    tokio::select! {
        () = server::serve(listeners, proxy, stop.clone()) => Ok(()),

        () = async {
            signals.next().await;
            stop.cancel();
            signals.next().await;
        } => bail!("a second signal came while draining; the connections left were cut"),
    }
}

async fn bind(address: SocketAddr, hint: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address)
        .await
        .map_err(|error| anyhow!("cannot listen on {address}: {error}; choose {hint}"))
}

/// Standard output may be full, or nobody may read it: no reason not to serve.
fn print(line: &str) {
    if let Err(error) = writeln!(io::stdout(), "{line}") {
        warn!("cannot print \"{line}\": {error}");
    }
}
