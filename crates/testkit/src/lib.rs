//! Helpers that the tests of several crates share. Use it as a dev-dependency only.

pub mod compaction;
pub mod events;
pub mod pdf_builder;
pub mod sentence_model;
pub mod sequence;
pub mod vectors;
