//! Something to proxy to, for whoever starts the program without a backend.

use anyhow::Context;

use crate::backend::BackendAddress;
use crate::config::Config;
use crate::listen::Listener;

/// Starts demo backends inside this process if none was given, and prints how
/// to try them.
pub async fn start_if_needed(config: &mut Config, listeners: &[Listener]) -> anyhow::Result<()> {
    if !config.backends.is_empty() || !config.sni.is_empty() {
        return Ok(());
    }

    let demo = phase_00::start(3)
        .await
        .context("cannot start the demo backends")?;
    let listen = listeners[0].socket.local_addr()?;
    eprintln!("no --backend given, so three demo backends answer; try: curl http://{listen}");

    config.backends = demo.into_iter().map(BackendAddress::from).collect();
    Ok(())
}
