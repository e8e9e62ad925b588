//! Tests of the search crate.
#![allow(clippy::unwrap_used)]

mod chunks;
mod full_text;
mod library;
