//! A certificate for the backends of the TLS scenario, of no use anywhere else.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::bench::Bench;

/// Creates one for `localhost` in `folder`; returns the paths of it and of its key.
///
/// With an elliptic curve, because a handshake with RSA would mostly measure RSA.
pub async fn create(bench: &Bench, folder: &Path) -> Result<(PathBuf, PathBuf)> {
    let openssl = bench
        .programs
        .find("openssl")
        .map_err(anyhow::Error::from)?;
    let (certificate, key) = (folder.join("certificate.pem"), folder.join("key.pem"));

    let mut command = Command::new(openssl);
    command
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
        ])
        .args(["-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate);

    let mut process = bench.workplace.start("openssl", command, folder)?;
    let status = process.wait(Duration::from_secs(20)).await?;
    ensure!(
        status.success(),
        "openssl cannot make a certificate:\n{}",
        process.last_words()
    );
    Ok((certificate, key))
}
