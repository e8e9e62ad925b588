//! Files as pages and lines, with the texts to look for passages in.
//!
//! A [`Document`] is built once and does not change. Its lines are numbered per page, as a model is
//! shown them; its [`Flow`]s are what is read in one go: the body, and what stands apart from it.

mod document;

pub use document::{Document, DocumentBuilder, Flow, FlowRole, Line, Page, Place};
