//! Applies any JSON patch.

#![no_main]

#[path = "../../crates/agui/tests/fuzz/mod.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::patch(data));
