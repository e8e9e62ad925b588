//! Integration tests of the command, against the built program.

mod ask;
mod backup;
mod canvas;
mod document;
mod evidence;
mod harness;
mod help;
mod keys;
mod library;
mod operating;
mod serve;
mod stream;
mod verify;
