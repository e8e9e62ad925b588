//! Preparation of the contestants: builds ours and installs missing peers.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use pincite_bench::workspace_binaries;

use crate::note;
use crate::plan::ContestantKind;

/// Returns the folder of this package.
pub(crate) fn bench_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Builds the release binaries of one package.
pub(crate) fn build(package: &str) -> Result<(), String> {
    note(&format!("building {package}"));
    workspace_binaries::build(package)
}

/// Installs the dependencies of a contestant.
pub(crate) fn peer(who: ContestantKind) -> Result<(), String> {
    match who {
        ContestantKind::Ours | ContestantKind::JsonPatch => Ok(()),
        ContestantKind::Node => node(&bench_dir().join("peers/node")),
        ContestantKind::NodeGateway => node(&bench_dir().join("peers/gateway")),
        ContestantKind::Python => python(),
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
        .args([
            "ci",
            "--omit=dev",
            "--no-audit",
            "--no-fund",
            "--silent",
            "--ignore-scripts",
        ])
        .current_dir(dir);
    step(&mut command, "installing the JavaScript peers (npm ci)")
}

/// Returns the Python interpreter that has the packages of the peers.
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
