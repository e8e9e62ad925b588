//! Parses any bytes as a model's answer with citations.

#![no_main]

#[path = "../../crates/citations/tests/fuzz/mod.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::citations(data));
