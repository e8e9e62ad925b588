//! Citations of other agents: readers for what they write into the shared state and onto messages.
//!
//! - [`bridge_citations`] reads lists of sources by message id.
//! - [`extract_new`] reads the state of retrieval agents, in every shape it has had, and returns the sources
//!   that a run added. [`TurnCitations`] reads such a state event by event instead.
//! - [`TurnLog`] collects the sources of a turn over several runs, and [`build_source_references_map`] assigns
//!   them to messages.
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
mod text_metadata;
mod turns;

pub use bridged_citations::{BridgedCitation, EmptyListMeaning, bridge_citations};
pub use extraction::{ExtractMode, ExtractWarning, Extraction, NoveltyRule, extract_new};
pub use novelty::outline;
pub use source_reference::{SourceFigure, SourceReference};
pub use text_metadata::metadata_citations;
pub use turns::{
    MessageState, TurnCitations, TurnLog, build_source_references_map, filter_overlay, lay_over,
    without_run_scope,
};
