//! Integration tests of the command, against the built program.

mod ask;
mod backup;
mod canvas;
mod copilotkit;
mod document;
mod evidence;
mod harness;
mod help;
mod keys;
mod library;
mod library_faults;
mod library_vectors;
mod mcp;
mod operating;
mod serve;
mod stream;
mod verify;
