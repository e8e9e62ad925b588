//! Reads any bytes as a document.

#![no_main]

#[path = "../../crates/documents/tests/it/fuzz_target.rs"]
mod fuzz_target;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz_target::check_bytes(data));
