//! What every contender is in front of: one nginx with static files.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::bench::Bench;
use crate::case::Body;
use crate::certificate;
use crate::process::Process;
use crate::template::fill;

/// The running backends.
#[derive(Debug)]
pub struct Backends {
    /// Take connections as they are.
    pub plain: [SocketAddr; 3],

    /// Expect a PROXY header.
    pub announced: [SocketAddr; 3],

    /// Requests after which they close a connection.
    pub keepalive_requests: u32,

    process: Process,
}

/// What a scenario wants of them.
#[derive(Debug, Clone)]
pub struct Wish {
    /// Requests after which they close a connection.
    pub keepalive_requests: u32,

    /// Whether they speak TLS.
    pub tls: bool,

    /// The files that they need.
    pub bodies: Vec<Body>,
}

impl Backends {
    /// Starts them, with their files.
    pub async fn start(bench: &mut Bench, wish: Wish) -> Result<Self> {
        let nginx = bench.programs.find("nginx").map_err(anyhow::Error::from)?;
        let workplace = &mut bench.workplace;
        let folder = workplace.folder("backends")?;
        let mut three = || -> Result<[SocketAddr; 3]> {
            Ok([
                workplace.address()?,
                workplace.address()?,
                workplace.address()?,
            ])
        };
        let (plain, announced) = (three()?, three()?);

        let bodies = folder.join("bodies");
        fs::create_dir(&bodies)?;
        for body in wish.bodies {
            fs::write(bodies.join(body.path()), body.content())
                .with_context(|| format!("cannot write a file of {}", body.label()))?;
        }

        let mut values = settings(&plain, &announced);
        values.push(("bodies", bodies.display().to_string()));
        values.push(("keepalive_requests", wish.keepalive_requests.to_string()));
        let template = if wish.tls {
            let (certificate, key) = certificate::create(bench, &folder).await?;
            values.push(("certificate", certificate.display().to_string()));
            values.push(("key", key.display().to_string()));
            include_str!("../config/backends-tls.conf")
        } else {
            include_str!("../config/backends.conf")
        };

        let config = folder.join("nginx.conf");
        fs::write(&config, fill(template, &values)?)?;
        let process = bench
            .workplace
            .serve(
                "backends",
                nginx_command(&nginx, &folder),
                &folder,
                plain[0],
            )
            .await?;

        Ok(Self {
            plain,
            announced,
            keepalive_requests: wish.keepalive_requests,
            process,
        })
    }

    /// Backends of another kind, which take connections with a PROXY header or without.
    pub fn elsewhere(addresses: [SocketAddr; 3], process: Process) -> Self {
        Self {
            plain: addresses,
            announced: addresses,
            keepalive_requests: u32::MAX,
            process,
        }
    }

    /// Those that expect a PROXY header, or the others.
    pub fn of(&self, announced: bool) -> [SocketAddr; 3] {
        if announced {
            self.announced
        } else {
            self.plain
        }
    }

    /// All their processes.
    pub fn pids(&self) -> Vec<u32> {
        crate::proc::family(self.process.id())
    }
}

/// How nginx is started everywhere: with its own folder, and in the foreground.
pub fn nginx_command(nginx: &Path, folder: &Path) -> Command {
    let mut command = Command::new(nginx);
    command
        .arg("-p")
        .arg(folder)
        .arg("-c")
        .arg(folder.join("nginx.conf"));
    // Until it has read its configuration it would use the log of the system's nginx.
    command.args(["-e", "stderr"]);
    command
}

/// The values that all configurations share.
pub fn settings(
    plain: &[SocketAddr; 3],
    announced: &[SocketAddr; 3],
) -> Vec<(&'static str, String)> {
    let files = crate::machine::open_files_limit();
    let at_most = |share: u64| files.saturating_sub(400) / share;
    let mut values = vec![
        ("files", files.to_string()),
        // A connection through a proxy takes two descriptors. Where HAProxy may splice, it
        // sets half a descriptor more aside, and some others.
        ("connections", at_most(2).to_string()),
        ("spliced_connections", at_most(3).to_string()),
    ];
    let mut add = |names: [&'static str; 3], addresses: &[SocketAddr; 3]| {
        values.extend(
            names
                .into_iter()
                .zip(addresses.map(|address| address.to_string())),
        );
    };
    add(["plain1", "plain2", "plain3"], plain);
    add(["proxy1", "proxy2", "proxy3"], announced);
    values
}
