//! Runs any bytes through the whole event pipeline.

#![no_main]

#[path = "../../crates/agui/tests/fuzz/mod.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::stream(data));
