//! Parts shared by the benchmark's runner and its Rust contestants.

pub mod corpus;
pub mod harness;
