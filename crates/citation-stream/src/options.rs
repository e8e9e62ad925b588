//! Settings of a citation layer.

use std::time::Duration;

use citations::SdkVersion;

/// Settings of a citation layer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerOptions {
    /// State key of the full projection.
    pub key: String,
    /// True if the full projection is written.
    pub full: bool,
    /// True if the source lists are written to the state key `citations`, unless the agent uses that key.
    pub source_lists: bool,
    /// True if the session projection is written to the state key `rag`, unless the agent uses that key.
    pub session: bool,
    /// Version of the field names that are written.
    pub names: SdkVersion,
    /// True if citations are published while their message streams, false if at its end.
    pub early: bool,
    /// Timeout of one verification, and of the wait for open verifications at the end of a run.
    pub deadline: Duration,
    /// True if data blocks and tags are removed from the text that the client receives.
    pub hide_block: bool,
    /// Budget in characters for the instructions and documents that are added to the agent's input. `None` adds
    /// nothing.
    pub instruct: Option<usize>,
    /// Limit on the bytes of one message that are parsed for citations.
    pub max_message_bytes: usize,
    /// Number of messages that the state keeps; 0 keeps all.
    pub keep_messages: usize,
    /// True if `CUSTOM` events report the progress of each citation.
    pub custom_events: bool,
    /// Limit on the verifications that run at the same time.
    pub max_checks: usize,
    /// True if the agent may state the outcome of its answers with [`OUTCOME_EVENT`](crate::OUTCOME_EVENT). Only agents
    /// that are part of the program may.
    pub takes_outcomes: bool,
}

impl Default for LayerOptions {
    fn default() -> Self {
        Self {
            key: "deepcitation".to_owned(),
            full: true,
            source_lists: true,
            session: true,
            names: SdkVersion::V2,
            early: true,
            deadline: Duration::from_secs(10),
            hide_block: false,
            instruct: None,
            max_message_bytes: 1 << 20,
            keep_messages: 0,
            custom_events: false,
            max_checks: 16,
            takes_outcomes: false,
        }
    }
}
