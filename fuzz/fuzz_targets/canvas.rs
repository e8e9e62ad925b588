//! Checks any message of the canvas.

#![no_main]

#[path = "../../crates/canvas/tests/fuzz/mod.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::message(data));
