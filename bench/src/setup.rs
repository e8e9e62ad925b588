//! Gets the contestants ready: builds ours, installs the peers that are missing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::note;
use crate::plan::Who;

/// The folder of this package.
pub(crate) fn bench_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The folder the runner's own binary is in, `target/release`.
pub(crate) fn binary_dir() -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|e| format!("cannot find the runner: {e}"))?;
    let dir = this.parent().ok_or("the runner has no folder")?;
    Ok(dir.to_owned())
}

/// Builds the release binaries of one package.
pub(crate) fn build(package: &str) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let bench = bench_dir();
    let root = bench.parent().unwrap_or(&bench);
    let mut command = Command::new(cargo);
    command
        .args([
            "build",
            "--release",
            "--quiet",
            "--bins",
            "--package",
            package,
        ])
        .current_dir(root);
    step(&mut command, &format!("building {package}"))
}

/// Installs what a contestant needs.
pub(crate) fn peer(who: Who) -> Result<(), String> {
    match who {
        Who::Ours | Who::JsonPatch => Ok(()),
        Who::Node => node(&bench_dir().join("peers/node")),
        Who::Python => python(),
    }
}

fn node(dir: &Path) -> Result<(), String> {
    present(
        "node",
        "Node.js 20 or newer is needed for the JavaScript peers",
    )?;
    if dir.join("node_modules/.package-lock.json").exists() {
        return Ok(());
    }
    present("npm", "npm is needed to install the JavaScript peers")?;
    let mut command = Command::new("npm");
    command
        .args(["ci", "--omit=dev", "--no-audit", "--no-fund", "--silent"])
        .current_dir(dir);
    step(&mut command, "installing the JavaScript peers (npm ci)")
}

/// The Python that has the peers' packages.
pub(crate) fn python_command() -> PathBuf {
    bench_dir().join("../target/python/bin/python")
}

fn python() -> Result<(), String> {
    let mut command = Command::new(bench_dir().join("../scripts/require-python"));
    step(&mut command, "looking for the Python peers")
}

/// Checks that a program starts.
fn present(program: &str, needed: &str) -> Result<(), String> {
    let status = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        _ => Err(format!("{program} was not found: {needed}")),
    }
}

/// Runs one step of the setup with its output on stderr.
fn step(command: &mut Command, what: &str) -> Result<(), String> {
    note(what);
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(|e| format!("{what}: cannot start: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{what}: failed ({status})"))
    }
}
