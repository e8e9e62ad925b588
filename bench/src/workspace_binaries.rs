//! Binaries of this workspace: location and build.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the folder the running binary is in, `target/dist`.
pub fn binary_dir() -> Result<PathBuf, String> {
    let this = std::env::current_exe().map_err(|e| format!("cannot find the runner: {e}"))?;
    let dir = this.parent().ok_or("the runner has no folder")?;
    Ok(dir.to_owned())
}

/// Builds the optimised binaries of one package.
pub fn build(package: &str) -> Result<(), String> {
    build_some(package, &["--bins"])
}

/// Builds one optimised binary of a package.
pub fn build_one(package: &str, binary: &str) -> Result<(), String> {
    build_some(package, &["--bin", binary])
}

fn build_some(package: &str, which: &[&str]) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let bench = Path::new(env!("CARGO_MANIFEST_DIR"));
    let status = Command::new(cargo)
        .args([
            "build",
            "--profile",
            "dist",
            "--quiet",
            "--package",
            package,
        ])
        .args(which)
        .current_dir(bench.parent().unwrap_or(bench))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(|e| format!("building {package}: cannot start: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("building {package}: failed ({status})"))
    }
}
