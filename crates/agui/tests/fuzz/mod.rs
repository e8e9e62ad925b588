//! Bodies of the fuzz targets, and the random data that they share with the property tests.
//!
//! Each body takes any bytes and panics on a fault. `fuzz/` runs them under libFuzzer,
//! `tests/it/fuzz_replay.rs` with the inputs in `fuzz/corpus`. Bytes that begin with 1 are choices
//! of a generator; all others are the input itself.
#![allow(dead_code, unreachable_pub, unused_imports)] // each user needs its part

pub mod generate;
mod patches;
pub mod reading;
mod runs;
pub mod shapes;
mod texts;
mod wire;

use generate::{Profile, Source};

pub use patches::patch;
pub use runs::{check_compaction, stream};
pub use texts::{check_clean, check_written, json};
pub use wire::{proto, sse};

/// Returns the choices of the generator, if the bytes begin with 1.
fn choices(data: &[u8], profile: Profile) -> Option<Source<'_>> {
    Some(Source::new(data.strip_prefix(&[1])?, profile))
}

/// Hashes the input, so that equal inputs make equal choices.
fn mixed(data: &[u8]) -> u64 {
    data.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}
