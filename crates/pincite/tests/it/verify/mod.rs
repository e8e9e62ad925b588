//! `pincite verify`: answers checked against sources.

mod attributions;
mod command;
mod document_answers;
mod fetched_sources;
mod hostile_input;
mod pdf_sources;
mod reports;
#[cfg(unix)]
mod scanned_sources;
mod source_resolution;
mod usage_errors;

use std::path::Path;

use crate::harness::{CommandOutput, pincite};

fn path_text(path: &Path) -> &str {
    path.to_str().expect("a plain name")
}

#[track_caller]
fn verify(args: &[&str], stdin: &str) -> CommandOutput {
    pincite(&[&["verify"], args].concat(), stdin.as_bytes())
}
