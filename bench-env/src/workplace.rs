//! Where a run takes place: a folder, ports, and programs, all gone afterwards.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::time::sleep;

use crate::guard::Guard;
use crate::kernel;
use crate::process::Process;

/// The folder and the ports of one run.
#[derive(Debug)]
pub struct Workplace {
    // Fields are dropped in this order: the guard then finds nothing left to remove.
    folder: TempDir,

    guard: Arc<Guard>,

    taken: BTreeSet<u16>,

    next_folder: Cell<u32>,
}

impl Workplace {
    /// Creates the folder and starts the guard.
    pub fn new() -> Result<Self> {
        let folder = tempfile::Builder::new()
            .prefix("bench-env-")
            .tempdir()
            .context("cannot create a temporary folder; set TMPDIR to one that is writable")?;
        let guard = Arc::new(Guard::start(folder.path())?);

        // Workers of nginx give up root, and must still reach the files.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755))?;

        Ok(Self {
            folder,
            guard,
            taken: BTreeSet::new(),
            next_folder: Cell::new(0),
        })
    }

    /// Where everything is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A new folder in it.
    pub fn folder(&self, name: &str) -> Result<PathBuf> {
        let number = self.next_folder.get();
        self.next_folder.set(number + 1);
        let path = self.path().join(format!("{name}-{number}"));
        fs::create_dir(&path).with_context(|| format!("cannot create {}", path.display()))?;
        Ok(path)
    }

    /// A free port on loopback that is not handed out twice.
    ///
    /// It lies below those that the kernel gives to outgoing connections: thousands of
    /// these come and go in a run, and one of them would take it sooner or later.
    pub fn address(&mut self) -> Result<SocketAddr> {
        let (first, _) = kernel::ephemeral_ports().unwrap_or((32768, 60999));

        for _ in 0..1000 {
            let port = fastrand::u16(LOWEST_PORT..first.max(LOWEST_PORT + 1000));
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            if self.taken.insert(port) && TcpListener::bind(address).is_ok() {
                return Ok(address);
            }
        }
        bail!("no free port between {LOWEST_PORT} and {first}; stop some servers")
    }

    /// Starts a program whose output goes into `folder`.
    pub fn start(&self, name: &str, command: Command, folder: &Path) -> Result<Process> {
        Process::start(name, command, folder, Arc::clone(&self.guard))
    }

    /// Starts a server, and waits until it accepts connections.
    pub async fn serve(
        &self,
        name: &str,
        command: Command,
        folder: &Path,
        address: SocketAddr,
    ) -> Result<Process> {
        let mut process = self.start(name, command, folder)?;
        let deadline = Instant::now() + START_LIMIT;

        while TcpStream::connect(address).await.is_err() {
            let ended = process.ended()?;
            if ended.is_some() || Instant::now() > deadline {
                bail!(
                    "{name} does not serve on {address}; its last words:\n{}",
                    process.last_words()
                );
            }
            sleep(Duration::from_millis(10)).await;
        }
        Ok(process)
    }
}

/// Below are those that well-known services use.
const LOWEST_PORT: u16 = 10_000;

/// A busy machine may need a while to start even a small program.
const START_LIMIT: Duration = Duration::from_secs(20);
