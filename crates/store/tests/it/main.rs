//! Integration tests of the crate.

mod sqlite;
mod suite;
