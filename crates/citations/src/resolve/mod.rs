//! Decisions that the command line, the gateway and the HTTP routes must make in the same way.
//!
//! - [`SourceQuery::find`]: the documents that a citation means.
//! - [`best_verdict`]: the verdict that counts when a citation was checked in several documents.
//! - [`choose_key`]: the key of a citation whose own key belongs to another one.
//! - [`StatusCategory`]: the category that a status counts under in a summary.
//!
//! Nothing here reads a file, a database or the network: callers pass the documents as candidates.

mod best_verdict;
mod category;
mod keys;
mod sources;

pub use best_verdict::best_verdict;
pub use category::StatusCategory;
pub use keys::choose_key;
pub use sources::{SourceCandidate, SourceMatch, SourceQuery};
