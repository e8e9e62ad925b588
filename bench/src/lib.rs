//! Parts shared by the benchmark's runner and its Rust contestants.

pub mod corpus;
pub mod harness;
pub mod load;
pub mod printing;
pub mod process;
pub mod product;
