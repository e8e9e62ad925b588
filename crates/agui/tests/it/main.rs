//! Integration tests of the AG-UI crate.

#[path = "../fuzz/mod.rs"]
mod fuzz;

mod compaction;
mod fuzz_replay;
mod model;
mod negotiate;
mod official;
mod properties;
mod proto;
mod sequences;
mod sse;
