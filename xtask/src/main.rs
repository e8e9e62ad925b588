//! Checks of the repository itself: `cargo xtask tidy`.

#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool for developers

mod crate_graph;
mod files;
mod language;
mod module_cycles;
mod source;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use language::TypeNames;
use module_cycles::ModuleUses;

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

/// Runs every check and prints the faults.
fn tidy(root: &Path) -> ExitCode {
    let mut faults = crate_graph::check(root);
    let mut type_names = TypeNames::default();
    let mut module_uses = ModuleUses::default();
    match tracked_files(root) {
        Ok(names) => {
            for name in names {
                // Binary files and files deleted in the working tree are skipped.
                let Ok(text) = fs::read_to_string(root.join(&name)) else {
                    continue;
                };
                faults.extend(files::check_file(&name, &text));
                if is_written_by_us(&name) {
                    faults.extend(language::check_file(&name, &text));
                }
                if is_production(&name) {
                    type_names.add(&name, &text);
                    module_uses.add(&name, &text);
                }
            }
        }
        Err(fault) => faults.push(fault),
    }
    faults.extend(type_names.faults());
    faults.extend(module_uses.faults());
    for fault in &faults {
        eprintln!("tidy: {fault}");
    }
    if faults.is_empty() {
        println!("tidy: crates, files, names and language follow the rules");
        ExitCode::SUCCESS
    } else {
        eprintln!("tidy: {} faults", faults.len());
        ExitCode::FAILURE
    }
}

/// Returns the files that git tracks.
fn tracked_files(root: &Path) -> Result<Vec<String>, String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root)
        .output();
    match listed {
        Ok(output) if output.status.success() => Ok(String::from_utf8_lossy(&output.stdout)
            .split('\0')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()),
        _ => Err("git cannot list the tracked files".to_owned()),
    }
}

/// Files with lists of words of a language, which include banned ones.
const WORD_LISTS: &[&str] = &[
    "bench/src/verdicts/dishonest/words.rs",
    "xtask/src/language.rs",
];

/// Returns true for texts in our own words: neither data of tests nor lists of what the checks look for.
fn is_written_by_us(name: &str) -> bool {
    let is_text = [
        "rs", "md", "toml", "sql", "ts", "tsx", "mjs", "py", "css", "html",
    ]
    .iter()
    .any(|extension| name.ends_with(&format!(".{extension}")))
        || name.starts_with("scripts/")
        || name == "Makefile";
    is_text
        && !name.contains("/data/")
        && !name.contains("/corpus/")
        && !name.starts_with("samples/")
        && !WORD_LISTS.contains(&name)
        && name != "docs/glossary.md"
}

/// Returns true for sources that are part of the program.
fn is_production(name: &str) -> bool {
    name.starts_with("crates/")
        && name.ends_with(".rs")
        && name.contains("/src/")
        && !name.contains("/tests/")
        && !name.ends_with("tests.rs")
        && !name.starts_with("crates/testkit/")
}
