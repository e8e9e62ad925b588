//! `pincite verify`: answers checked against sources.

mod command;
mod fetched_sources;
mod pdf_sources;
mod reports;
#[cfg(unix)]
mod scanned_sources;
