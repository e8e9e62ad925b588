//! Parts shared by the benchmark's runner and its Rust contestants.

pub mod corpus;
pub mod harness;
pub mod load;
pub mod sample_pdf;
pub mod server_process;
pub mod workspace_binaries;
