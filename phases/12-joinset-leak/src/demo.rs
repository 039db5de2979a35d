//! Something to proxy to, for whoever starts the program without a backend.

use std::io::{self, Write};
use std::net::SocketAddr;

use anyhow::Context;

use crate::backend::address::BackendAddress;
use crate::config::Config;

/// Starts demo backends inside this process if none was given, and prints how
/// to try them. `listen` is the address that clients use.
pub async fn start_if_needed(config: &mut Config, listen: SocketAddr) -> anyhow::Result<()> {
    if !config.backends.is_empty() {
        return Ok(());
    }
    if !config.route.sni.is_empty() {
        eprintln!("no --backend given, so clients that have no route are closed");
        return Ok(());
    }

    let demo = phase_00::start(3)
        .await
        .context("cannot start the demo backends")?;

    // Nobody may read it.
    let _ = writeln!(
        io::stderr(),
        "no --backend given, so three demo backends answer; try: curl http://{listen}"
    );

    config.backends = demo.into_iter().map(BackendAddress::from).collect();
    Ok(())
}
