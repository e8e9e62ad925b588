//! Integration tests of the crate.

mod approximate_search;
mod corpus;
mod diff_and_fragments;
mod fuzz_replay;
mod hostile_input;
mod normalisation;
mod properties;
