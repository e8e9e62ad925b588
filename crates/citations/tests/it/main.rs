//! Integration tests of the crate.

#[path = "../fuzz/mod.rs"]
mod fuzz;

mod dialects;
mod forms;
mod fuzz_replay;
mod json_forms;
mod limits;
mod page_labels;
mod partial_verdicts;
mod properties;
mod reference_vectors;
mod verdicts;
