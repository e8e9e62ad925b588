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

/// Installs what a contestant needs; `environment` is the folder of the Python packages.
pub(crate) fn peer(who: Who, environment: &Path) -> Result<(), String> {
    match who {
        Who::Ours | Who::JsonPatch => Ok(()),
        Who::Node => node(&bench_dir().join("peers/node")),
        Who::Python => python(environment),
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

fn python(environment: &Path) -> Result<(), String> {
    let requirements = bench_dir().join("peers/python/requirements.txt");
    let wanted = std::fs::read_to_string(&requirements)
        .map_err(|e| format!("cannot read {}: {e}", requirements.display()))?;
    let installed = environment.join("installed");
    if std::fs::read_to_string(&installed).is_ok_and(|versions| versions == wanted) {
        return Ok(());
    }
    present(
        "python3",
        "Python 3.10 or newer is needed for the Python peers",
    )?;
    let create = |module: &str| {
        let mut command = Command::new("python3");
        command.args(["-m", module, "--clear"]).arg(environment);
        step(
            &mut command,
            &format!("creating {} ({module})", environment.display()),
        )
    };
    // Debian has venv in a package of its own.
    create("venv")
        .or_else(|_| create("virtualenv"))
        .map_err(|_| {
            "python3 cannot create an environment: install python3-venv or virtualenv".to_owned()
        })?;
    let mut pip = Command::new(environment.join("bin/python"));
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "-r",
    ])
    .arg(requirements);
    step(&mut pip, "installing the Python peers (pip)")?;
    std::fs::write(&installed, wanted)
        .map_err(|e| format!("cannot write {}: {e}", installed.display()))
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
