//! Agents that are part of the program.
//!
//! [`demo::DemoAgent`] needs no model and no network. It answers from a script about its own document, with correct and
//! wrong quotes, to show the results of verification.

pub mod demo;
