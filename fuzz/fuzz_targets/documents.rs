#![no_main]

#[path = "../../crates/documents/tests/fuzz/mod.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::documents(data));
