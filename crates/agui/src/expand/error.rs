//! Errors of chunk expansion.

use super::MAX_LANES;

/// Error of a chunk that cannot be expanded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// The first chunk of a stream lacks an id or a name.
    #[error("the first {chunk} must have a {field}")]
    Unnamed {
        /// Type of the event.
        chunk: &'static str,
        /// Missing field.
        field: &'static str,
    },
    /// The chunk belongs to a stream of another subagent.
    #[error(
        "{chunk}: subagent '{tag}' cannot continue {entity} '{id}', which was opened by {owner}"
    )]
    ForeignLane {
        /// Type of the event.
        chunk: &'static str,
        /// Kind of the stream.
        entity: &'static str,
        /// Id of the stream.
        id: String,
        /// Subagent of the chunk.
        tag: String,
        /// Owner of the stream.
        owner: String,
    },
    /// The chunk names neither a stream nor a subagent, and several streams are open.
    #[error(
        "ambiguous {chunk}: it has neither an id nor a subagentRunId, but {lanes} lanes have an open {entity}"
    )]
    Ambiguous {
        /// Type of the event.
        chunk: &'static str,
        /// Kind of the streams.
        entity: &'static str,
        /// Number of candidates.
        lanes: usize,
    },
    /// The chunk contradicts the one that opened its stream.
    #[error("{entity} '{id}': {field} is {received}, but it was opened with {opened_with}")]
    Contradiction {
        /// Kind of the stream.
        entity: &'static str,
        /// Id of the stream.
        id: String,
        /// Field that differs.
        field: &'static str,
        /// Value in the chunk.
        received: String,
        /// Value in the first chunk of the stream.
        opened_with: String,
    },
    /// Too many chunk streams are open at once.
    #[error("more than {MAX_LANES} chunk streams are open at once")]
    TooManyLanes,
}

impl ExpandError {
    /// Returns a short name of the violated rule.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::Unnamed { .. } => "chunk-first-unnamed",
            Self::ForeignLane { .. } => "chunk-foreign-lane",
            Self::Ambiguous { .. } => "chunk-ambiguous",
            Self::Contradiction { .. } => "chunk-contradicts-opener",
            Self::TooManyLanes => "limit-open-lanes",
        }
    }
}
