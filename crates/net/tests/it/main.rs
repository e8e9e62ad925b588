//! Integration tests of the crate.

mod fetch;
