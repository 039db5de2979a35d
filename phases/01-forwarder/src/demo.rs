//! Something to proxy to, for whoever starts the program without a backend.

use std::io::{self, Write};
use std::net::SocketAddr;

use anyhow::Context;

use crate::backend::address::BackendAddress;
use crate::config::Config;

/// Starts a demo backend inside this process if none was given, and prints how
/// to try it. `listen` is the address that clients use.
pub async fn start_if_needed(config: &mut Config, listen: SocketAddr) -> anyhow::Result<()> {
    if config.backend.is_some() {
        return Ok(());
    }

    let demo = phase_00::start(1)
        .await
        .context("cannot start the demo backend")?;

    // Nobody may read it.
    let _ = writeln!(
        io::stderr(),
        "no --backend given, so a demo backend answers; try: curl http://{listen}"
    );

    config.backend = demo.into_iter().map(BackendAddress::from).next();
    Ok(())
}
