//! Integration tests of the crate.

mod endpoint;
mod minilm;
