//! What the visible commands do.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::bench::{Bench, output_folder};
use crate::cli::{Command, Options};
use crate::machine::Machine;
use crate::programs::Programs;
use crate::save::{run_and_save, save};
use crate::scenario::{self, SCENARIOS};
use crate::{doctor, report, smoke};

/// Does what was asked for.
pub async fn run(command: Command, options: Options) -> Result<()> {
    let name = match command {
        Command::List => return list(options),
        Command::Doctor => {
            let programs = Programs::new();
            println!("{}", doctor::describe(&Machine::look(&programs), &programs));
            return Ok(());
        }
        Command::Report => return render_again(&options),
        Command::Smoke => return smoke::run(options).await,
        Command::All => return run_all(options).await,
        Command::Article => "article",
        Command::Leak => "leak",
        Command::Peek => "peek",
        Command::Fair => "fair",
        Command::Churn => "churn",
        Command::Cores => "cores",
        Command::Bulk => "bulk",
        Command::Idle => "idle",
        Command::Latency => "latency",
        Command::Tls => "tls",
        Command::Pool => "pool",
        Command::Phases => "phases",
        other => bail!("{other:?} is not for you"),
    };

    let folder = output_folder(&options);
    let mut bench = Bench::new(options)?;
    warn(&bench);
    let scenario = scenario::find(name).context("no such scenario")?;
    let outcome = scenario.run(&mut bench).await?;
    save(&outcome, &folder)?;
    println!("{}", report::markdown(&outcome));
    println!("{}", done(&folder));
    Ok(())
}

fn list(options: Options) -> Result<()> {
    let bench = Bench::new(options)?;
    for scenario in SCENARIOS {
        println!("{:<9} {}", scenario.name, scenario.question);
        let plan = (scenario.plan)(&bench)?;
        let names: Vec<String> = plan.contenders.into_iter().map(|one| one.name).collect();
        println!("          {}", names.join(", "));
    }
    Ok(())
}

async fn run_all(options: Options) -> Result<()> {
    let folder = output_folder(&options);
    let mut bench = Bench::new(options)?;
    warn(&bench);

    let mut failed = Vec::new();
    for (index, scenario) in SCENARIOS.iter().enumerate() {
        eprintln!("{} of {}: {}", index + 1, SCENARIOS.len(), scenario.name);
        if let Err(error) = run_and_save(scenario, &mut bench, &folder).await {
            // What one scenario lacks, the next may not need.
            eprintln!("\nerror: {}: {error:#}", scenario.name);
            failed.push(scenario.name);
        }
    }

    println!("{}", done(&folder));
    if failed.is_empty() {
        Ok(())
    } else {
        bail!("these scenarios did not run: {}", failed.join(", "))
    }
}

fn render_again(options: &Options) -> Result<()> {
    let folder = output_folder(options);
    let mut count = 0;
    for scenario in SCENARIOS {
        let path = folder.join(format!("{}.json", scenario.name));
        let Ok(json) = fs::read_to_string(&path) else {
            continue;
        };
        let outcome = report::read(&json).with_context(|| path.display().to_string())?;
        report::write(&outcome, &folder)?;
        count += 1;
    }
    if count == 0 {
        bail!(
            "there are no results in {}; choose another by --out",
            folder.display()
        );
    }
    report::write_index(&folder)?;
    println!("{}", done(&folder));
    Ok(())
}

fn warn(bench: &Bench) {
    for line in doctor::warnings(&bench.machine) {
        eprintln!("warning: {line}");
    }
}

fn done(folder: &Path) -> String {
    format!("results and report: {}", folder.display())
}
