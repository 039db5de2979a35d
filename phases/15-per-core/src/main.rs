//! Parses the command line, binds, says where it listens, and serves.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::num::NonZero;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{anyhow, bail};
use clap::Parser;
use phase_15::accept::listen::Listener;
use phase_15::account::endpoint;
use phase_15::account::endpoint::MetricsAddress;
use phase_15::account::page::page;
use phase_15::admit::descriptors;
use phase_15::choose::health;
use phase_15::config::Config;
use phase_15::connect::refill;
use phase_15::leave::signals::Signals;
use phase_15::leave::{Orders, drain};
use phase_15::proxy::Proxy;
use phase_15::worker::Workers;
use phase_15::{demo, log};
use rustix::io::Errno;
use tokio::net::TcpListener;
use tokio::time::timeout;
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

/// The main thread is not for clients: it checks backends and keeps connections
/// to them ready, shows the metrics, and waits for signals.
#[tokio::main(flavor = "current_thread")]
async fn run(mut config: Config) -> anyhow::Result<()> {
    config.admit.max_connections = descriptors::enough_for(config.admit.max_connections);

    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let count = config.workers.unwrap_or(cores);

    let mut listeners: Vec<Vec<Listener>> = (0..count).map(|_| Vec::new()).collect();
    for place in &config.listen {
        let opened = place.open(count);
        let opened = opened.map_err(cannot_listen(
            place.address,
            "another address with --listen",
        ))?;
        for (own, listener) in listeners.iter_mut().zip(opened) {
            own.push(listener);
        }
    }

    let metrics_listener = match config.metrics.address {
        MetricsAddress::Off => None,
        MetricsAddress::At(address) => {
            Some(bind(address, "another address with --metrics, or --metrics off").await?)
        }
    };

    demo::start_if_needed(&mut config, &listeners[0]).await?;

    let proxy = Arc::new(Proxy::new(config).await?);

    for listener in &listeners[0] {
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

    let of_workers = (0..count).map(|_| Ok(Arc::new(proxy.of_worker()?)));
    let of_workers: Arc<[_]> = of_workers.collect::<anyhow::Result<_>>()?;

    // Before anybody can know that there is something to end.
    let mut signals = Signals::catch()?;

    let addresses = listeners[0].iter().map(|place| place.socket.local_addr());
    let addresses = addresses.collect::<io::Result<Vec<_>>>()?;

    let orders = Orders::default();
    let mut workers = Workers::start(&of_workers, listeners, &orders)?;

    for address in addresses {
        print(&format!("listening on {address}"));
    }

    if let Some(listener) = metrics_listener {
        print(&format!(
            "metrics on http://{}/metrics",
            listener.local_addr()?
        ));
        let errors = proxy.metrics.accept_errors.clone();
        let (proxy, of_workers) = (Arc::clone(&proxy), Arc::clone(&of_workers));
        tokio::spawn(endpoint::serve(listener, errors, move || {
            page(&proxy, &of_workers)
        }));
    }

    let drained = async {
        workers.stopped().await?;

        let (limit, clients) = (proxy.config.leave.drain_timeout, workers.clients());
        drain(limit, clients, workers.ended(), &orders).await
    };
    let mut drained = pin!(drained);

    tokio::select! {
        ended = &mut drained => ended,

        () = async {
            signals.next().await;
            // Not later: a balancer should know before anybody is refused.
            proxy.metrics.draining.set(1);
            orders.stop.cancel();
            signals.next().await;
        } => {
            // What is cut now gets its line in the log, if that takes no time.
            orders.cut.cancel();
            let _ = timeout(LAST_WORDS, drained).await;
            bail!("a second signal came while draining; the connections left were cut")
        }
    }
}

async fn bind(address: SocketAddr, hint: &str) -> anyhow::Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(cannot_listen(address, hint))
}

fn cannot_listen(address: SocketAddr, hint: &str) -> impl FnOnce(io::Error) -> anyhow::Error {
    move |error| {
        // Each worker has listeners of its own.
        let mend = match Errno::from_io_error(&error) {
            Some(Errno::MFILE) => "ask for fewer --workers, or raise the hard limit (ulimit -Hn)",
            _ => &format!("choose {hint}"),
        };
        anyhow!("cannot listen on {address}: {error}; {mend}")
    }
}

/// Standard output may be full, or nobody may read it: no reason not to serve.
fn print(line: &str) {
    if let Err(error) = writeln!(io::stdout(), "{line}") {
        warn!("cannot print \"{line}\": {error}");
    }
}

/// A worker that does not come to its end by then hangs, and must not hold up who asks
/// for the second time.
const LAST_WORDS: Duration = Duration::from_millis(100);
