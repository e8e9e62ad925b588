//! Agents that are part of the program.
//!
//! [`demo::Demo`] needs no model and no network: it answers from a script, about a document of its own, and
//! quotes it rightly and wrongly, to show what becomes of either.

pub mod demo;
