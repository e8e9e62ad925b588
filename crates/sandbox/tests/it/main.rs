//! Integration tests of the crate.

#[cfg(unix)]
mod misbehaving_worker;
