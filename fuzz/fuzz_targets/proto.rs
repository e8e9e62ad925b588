//! Decodes any bytes as protobuf events.

#![no_main]

#[path = "../../crates/agui/tests/fuzz/mod.rs"]
mod fuzz;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::proto(data));
