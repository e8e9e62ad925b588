//! Normalises, indexes and searches any text.

#![no_main]

#[path = "../../crates/passage/tests/fuzz/mod.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::normalisation(data));
