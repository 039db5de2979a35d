//! Programs for our own tests: known load, and something to clear up.

use std::env;
use std::hint::black_box;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use rustix::time::{ClockId, clock_gettime};

use crate::workplace::Workplace;

/// Uses so much CPU time and memory, says so, and waits.
pub fn spin(seconds: f64, mebibytes: usize) -> Result<()> {
    // Bytes that are not zero, so that every page is really there.
    let memory = black_box(vec![1_u8; mebibytes << 20]);
    while cpu_seconds() < seconds {
        black_box(memory.iter().step_by(4096).count());
    }

    println!("done");
    thread::sleep(Duration::from_secs(60));
    drop(memory);
    Ok(())
}

/// Starts a program, says where everything is, and waits.
pub async fn hold() -> Result<()> {
    let workplace = Workplace::new()?;
    let folder = workplace.folder("held")?;
    let mut command = Command::new(env::current_exe()?);
    command.args(["spin", "0", "1"]);
    let process = workplace.start("held", command, &folder)?;

    println!("{} {}", process.id(), workplace.path().display());
    tokio::time::sleep(Duration::from_secs(60)).await;
    Ok(())
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
