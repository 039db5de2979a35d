//! Parses the command line, and runs what it asks for until it ends or is ended.

use std::future::Future;
use std::io::stdin;
use std::process::ExitCode;

use anyhow::{Result, bail};
use bench_env::cli::{Cli, Command};
use bench_env::{commands, guard, hidden, machine};
use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};

fn main() -> ExitCode {
    let Cli { command, options } = Cli::parse();
    machine::raise_open_files_limit();

    let result = match command {
        Command::Guard { folder } => {
            guard::watch(stdin().lock(), &folder);
            Ok(())
        }
        Command::Floor(floor) => floor.run(),
        Command::OpenLoad(load) => load.run(),
        Command::Link(link) => link.run(),
        Command::Respond(respond) => respond.run(),
        Command::Spin { seconds, mebibytes } => hidden::spin(seconds, mebibytes),
        Command::Hold => until_signal(hidden::hold()),
        command => until_signal(commands::run(command, options)),
    };

    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// A signal drops the work where it is, and with it every program and the folder.
fn until_signal(work: impl Future<Output = Result<()>>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;

        tokio::select! {
            result = work => result,
            _ = interrupt.recv() => bail!("interrupted; everything that was started has ended"),
            _ = terminate.recv() => bail!("terminated; everything that was started has ended"),
            _ = hang_up.recv() => bail!("hung up; everything that was started has ended"),
        }
    })
}
