//! Readers for the citations of other agents: what they put into the shared state, and onto messages.
//!
//! [`bridge_citations`] reads lists of sources by message id. [`extract_new`] reads the state of retrieval
//! agents in every form it has had, and says what a run added to it; [`TurnCitations`] follows such a state
//! event by event instead. [`TurnLog`] gathers the sources of a turn over several runs, and
//! [`build_source_references_map`] puts them on the messages that show them.
//!
//! ```
//! use json::Value;
//! use citations::dialects::{ExtractMode, extract_new};
//!
//! let before = Value::parse("{}")?;
//! let after = Value::parse(
//!     r#"{"rag":{"qa_history":[{"question":"What is X?","answer":"X is…","citations":[
//!         {"index":1,"chunk_id":"c","document_id":"d","document_uri":"s3://b/file.pdf",
//!          "content":"The text","page_numbers":[5,6]}]}]}}"#,
//! )?;
//! let found = extract_new(&before, &after, ExtractMode::Content);
//! assert_eq!(found.references[0].page_label().as_deref(), Some("p.5-6"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bridged_citations;
mod document_url;
mod extraction;
mod novelty;
mod source_reference;
mod specification;
mod state_shapes;
mod turns;

pub use bridged_citations::{BridgedCitation, EmptyListMeaning, bridge_citations};
pub use extraction::{ExtractMode, ExtractWarning, Extraction, NoveltyRule, extract_new};
pub use source_reference::{SourceFigure, SourceReference};
pub use turns::{
    MessageState, TurnCitations, TurnLog, build_source_references_map, filter_overlay, lay_over,
    without_run_scope,
};
