//! Files of the web console, which `build.rs` lists if `web/console` was built before the program.

use server::ConsoleFile;

/// Files of the console; empty if it was not built.
pub(crate) const FILES: &[ConsoleFile] = include!(concat!(env!("OUT_DIR"), "/console_files.rs"));
