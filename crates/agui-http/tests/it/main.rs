//! Integration tests of the crate.

mod client;
mod session;
