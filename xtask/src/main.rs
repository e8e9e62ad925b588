//! Checks of the repository itself: `cargo xtask tidy`.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool that talks to developers

mod arrows;
mod files;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("tidy") => tidy(&root()),
        _ => {
            eprintln!("usage: cargo xtask tidy");
            ExitCode::from(2)
        }
    }
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

fn tidy(root: &Path) -> ExitCode {
    let mut faults = arrows::check(root);
    faults.extend(files::check(root));
    for fault in &faults {
        eprintln!("tidy: {fault}");
    }
    if faults.is_empty() {
        println!("tidy: the arrows and the files are in order");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
