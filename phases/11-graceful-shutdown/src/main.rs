//! Parses the command line, binds, says where it listens, and serves.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::Parser;
use phase_11::account::endpoint;
use phase_11::account::endpoint::MetricsAddress;
use phase_11::admit::descriptors;
use phase_11::choose::health;
use phase_11::config::Config;
use phase_11::connect::refill;
use phase_11::leave::signals::Signals;
use phase_11::proxy::Proxy;
use phase_11::{demo, log, server};
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

    for backend in &proxy.backends {
        backend.must_not_be(address)?;
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

    print(&format!("listening on {address}"));

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
        () = server::serve(listener, proxy, stop.cancelled()) => Ok(()),

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
