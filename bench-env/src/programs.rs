//! The programs that the bench compares with and measures with.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::left_out::LeftOut;

/// Where they are.
#[derive(Debug)]
pub struct Programs {
    folders: Vec<PathBuf>,
}

/// A program of others: its name, the Debian package that has it, what it is for, and
/// how it is asked for its version.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The name of the file.
    pub name: &'static str,

    /// The Debian package.
    pub package: &'static str,

    /// What the bench cannot do without it.
    pub needed_for: &'static str,

    /// Its argument for the version.
    pub version: &'static str,
}

/// All of them.
pub const PROGRAMS: [Program; 5] = [
    Program {
        name: "nginx",
        package: "nginx libnginx-mod-stream",
        needed_for: "the backends of every scenario, and a contender",
        version: "-v",
    },
    Program {
        name: "wrk",
        package: "wrk",
        needed_for: "the load of every scenario except idle",
        version: "-v",
    },
    Program {
        name: "haproxy",
        package: "haproxy",
        needed_for: "a contender",
        version: "-v",
    },
    Program {
        name: "openssl",
        package: "openssl",
        needed_for: "the certificate of the tls scenario",
        version: "version",
    },
    Program {
        name: "promtool",
        package: "prometheus",
        needed_for: "checking the metrics pages in smoke",
        version: "--version",
    },
];

impl Programs {
    /// Looks where a shell would, and where root's would.
    pub fn new() -> Self {
        let path = env::var_os("PATH").unwrap_or_default();
        let mut folders: Vec<PathBuf> = env::split_paths(&path).collect();
        folders.extend(["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from));
        Self { folders }
    }

    /// The path of a program, or what to say about its absence.
    pub fn find(&self, name: &str) -> Result<PathBuf, LeftOut> {
        let mut paths = self.folders.iter().map(|folder| folder.join(name));
        paths
            .find(|path| path.is_file())
            .ok_or_else(|| missing(name))
    }

    /// The first line in which a program says its version.
    pub fn version(&self, program: &Program) -> Option<String> {
        first_line(&self.find(program.name).ok()?, program.version)
    }

    /// The line of its configuration by which nginx learns to pass on bytes: the
    /// module may be built in, or a file.
    pub fn nginx_stream_module(&self) -> Result<String, LeftOut> {
        let said = output(&self.find("nginx")?, "-V").unwrap_or_default();
        let words: Vec<&str> = said.split_whitespace().collect();
        if words.contains(&"--with-stream") {
            return Ok(String::new());
        }

        let folder = words
            .iter()
            .find_map(|word| word.strip_prefix("--modules-path="));
        let folder = Path::new(folder.unwrap_or("/usr/lib/nginx/modules"));
        let module = folder.join("ngx_stream_module.so");
        if module.is_file() {
            Ok(format!("load_module {};", module.display()))
        } else {
            Err(LeftOut {
                what: "nginx stream".to_owned(),
                why: format!(
                    "{} is missing; run bench-env/setup, or apt-get install libnginx-mod-stream",
                    module.display()
                ),
            })
        }
    }
}

impl Default for Programs {
    fn default() -> Self {
        Self::new()
    }
}

fn missing(name: &str) -> LeftOut {
    let known = PROGRAMS.iter().find(|program| program.name == name);
    let package = known.map_or(name, |program| program.package);
    LeftOut {
        what: name.to_owned(),
        why: format!("not installed; run bench-env/setup, or apt-get install {package}"),
    }
}

/// The first line that a program says when it is asked something.
pub fn first_line(program: &Path, argument: &str) -> Option<String> {
    let said = output(program, argument)?;
    Some(said.lines().next()?.trim().to_owned())
}

/// Programs disagree on where a version belongs.
fn output(program: &Path, argument: &str) -> Option<String> {
    let output = Command::new(program).arg(argument).output().ok()?;
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::Programs;

    #[test]
    fn a_missing_program_is_named_with_its_mend() {
        let nowhere = Programs {
            folders: vec!["/nonexistent".into()],
        };
        let left_out = nowhere.find("promtool").unwrap_err();
        assert_eq!(left_out.what, "promtool");
        assert!(left_out.why.contains("apt-get install prometheus"));
    }
}
