//! Starts a contender in front of the backends.

use std::env;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::arguments::{Addresses, announces, arguments};
use super::{Contender, Kind};
use crate::backends::{Backends, nginx_command, settings};
use crate::bench::Bench;
use crate::case::Body;
use crate::process::Process;
use crate::template::fill;
use crate::{http, proc};

/// A contender that is ready to work.
#[derive(Debug)]
pub struct Running {
    /// Who it is.
    pub contender: Contender,

    /// Where it accepts clients.
    pub address: SocketAddr,

    /// Where it shows its metrics, if it does.
    pub metrics: Option<SocketAddr>,

    /// Its program; the direct run has none.
    pub process: Option<Process>,
}

impl Running {
    /// All its processes.
    pub fn pids(&self) -> Vec<u32> {
        let pid = self.process.as_ref().map(Process::id);
        pid.map(proc::family).unwrap_or_default()
    }

    /// Fetches a file and compares it: a figure of a proxy that breaks its bytes, or
    /// passes none, would be worth nothing.
    pub async fn check(&self, body: Body) -> Result<()> {
        let answer = http::get(self.address, body.path()).await?;
        ensure!(
            answer == body.content(),
            "{} does not pass on the bytes of the backend",
            self.contender.name
        );
        Ok(())
    }
}

impl Contender {
    /// Starts its program, and waits until it accepts clients.
    pub async fn start(&self, bench: &mut Bench, backends: &Backends) -> Result<Running> {
        let listen = bench.workplace.address()?;
        let running = |process, metrics| Running {
            contender: self.clone(),
            address: listen,
            metrics,
            process: Some(process),
        };

        let folder = bench.workplace.folder(&self.name)?;
        match &self.kind {
            Kind::Direct => Ok(Running {
                contender: self.clone(),
                address: backends.plain[0],
                metrics: None,
                process: None,
            }),

            Kind::Floor { announce } => {
                let command = floor_command(listen, backends, *announce)?;
                let process = self.serve(bench, command, &folder, listen).await?;
                Ok(running(process, None))
            }

            Kind::Haproxy { template } => {
                let haproxy = bench
                    .programs
                    .find("haproxy")
                    .map_err(anyhow::Error::from)?;
                let config = folder.join("haproxy.cfg");
                configure(template, &config, listen, backends, vec![self.workers()])?;

                let mut command = Command::new(haproxy);
                command.arg("-db").arg("-f").arg(&config);
                let process = self.serve(bench, command, &folder, listen).await?;
                Ok(running(process, None))
            }

            Kind::Nginx { template } => {
                let nginx = bench.programs.find("nginx").map_err(anyhow::Error::from)?;
                let module = if template.contains("{{stream_module}}") {
                    bench
                        .programs
                        .nginx_stream_module()
                        .map_err(anyhow::Error::from)?
                } else {
                    String::new()
                };
                configure(
                    template,
                    &folder.join("nginx.conf"),
                    listen,
                    backends,
                    vec![self.workers(), ("stream_module", module)],
                )?;

                let command = nginx_command(&nginx, &folder);
                let process = self.serve(bench, command, &folder, listen).await?;
                Ok(running(process, None))
            }

            Kind::Phase(setup) => {
                let metrics = bench.workplace.address()?;
                let program = bench.phases.program(setup.number);
                let mut command = Command::new(program.context("the phase was not built")?);
                let addresses = Addresses {
                    listen,
                    metrics,
                    backends: backends.of(announces(setup)),
                };
                command.args(arguments(setup, &addresses));
                if let Some(workers) = self.workers.filter(|_| setup.number >= 15) {
                    command.args(["--workers", &workers.to_string()]);
                }
                // The drain's line is at `info`. A line for each connection would be
                // work that no other contender does.
                command.env("RUST_LOG", "info,access=off");

                let process = self.serve(bench, command, &folder, listen).await?;
                Ok(running(process, (setup.number >= 8).then_some(metrics)))
            }
        }
    }

    /// For a configuration that says how many there are.
    fn workers(&self) -> (&'static str, String) {
        let workers = self.workers.map_or("auto".to_owned(), |n| n.to_string());
        ("workers", workers)
    }

    async fn serve(
        &self,
        bench: &Bench,
        command: Command,
        folder: &Path,
        address: SocketAddr,
    ) -> Result<Process> {
        bench
            .workplace
            .serve(&self.name, command, folder, address)
            .await
    }
}

fn floor_command(listen: SocketAddr, backends: &Backends, announce: bool) -> Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["floor", "--listen", &listen.to_string()]);
    for target in backends.of(announce) {
        command.args(["--backend", &target.to_string()]);
    }
    if announce {
        command.arg("--announce");
    }
    Ok(command)
}

fn configure(
    template: &str,
    path: &Path,
    listen: SocketAddr,
    backends: &Backends,
    own: Vec<(&'static str, String)>,
) -> Result<()> {
    let mut values = settings(&backends.plain, &backends.announced);
    values.push(("listen", listen.to_string()));
    values.push((
        "keepalive_requests",
        backends.keepalive_requests.to_string(),
    ));
    values.extend(own);
    fs::write(path, fill(template, &values)?)?;
    Ok(())
}
