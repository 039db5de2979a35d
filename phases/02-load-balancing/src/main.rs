//! Parses the command line, binds, says where it listens, and serves.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::anyhow;
use clap::Parser;
use phase_02::config::Config;
use phase_02::proxy::Proxy;
use phase_02::{demo, log, server};
use tokio::net::TcpListener;
use tracing::warn;

fn main() -> ExitCode {
    let config = Config::parse();
    let mut log = log::start();

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
    let listener = bind(config.listen).await?;
    let address = listener.local_addr()?;

    demo::start_if_needed(&mut config, address).await?;

    let proxy = Arc::new(Proxy::new(&config).await?);

    for backend in &proxy.backends {
        backend.must_not_be(address)?;
    }

    print(&format!("listening on {address}"));

    server::serve(listener, proxy).await;
    Ok(())
}

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        anyhow!("cannot listen on {address}: {error}; choose another address with --listen")
    })
}

/// Standard output may be full, or nobody may read it: no reason not to serve.
fn print(line: &str) {
    if let Err(error) = writeln!(io::stdout(), "{line}") {
        warn!("cannot print \"{line}\": {error}");
    }
}
