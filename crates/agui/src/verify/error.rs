//! Errors of verification.

use crate::event::{Event, EventData, EventType};

/// Error of an event that violates a rule of order or ownership.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}{}: {}", in_subagent(.tag.as_ref()), .violation.describe(.entity, .id))]
pub struct VerifyError {
    /// Type of the event.
    pub kind: EventType,
    /// Kind of entity: "text message", "tool call", "step", "run"…
    pub entity: &'static str,
    /// Id of the entity.
    pub id: String,
    /// `subagentRunId` of the event.
    pub tag: Option<String>,
    /// Violated rule.
    pub violation: Violation,
}

/// Violated rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Violation {
    /// The stream does not begin with `RUN_STARTED` or `RUN_ERROR`.
    NotStarted,
    /// A run starts while another is active.
    StillRunning,
    /// An event follows `RUN_FINISHED`.
    RunFinished,
    /// An event follows `RUN_ERROR`.
    RunErrored,
    /// An entity is started while it is open.
    AlreadyOpen,
    /// A step or subagent is started while it is active.
    AlreadyActive,
    /// An entity is continued or ended while it is not open.
    NotOpen,
    /// The tag differs from the owner.
    NotTheOwner {
        /// `subagentRunId` of the event.
        tag: String,
        /// Owner; `None` is the parent agent.
        owner: Option<String>,
    },
    /// The tag of a tool call differs from the owner of its parent message.
    ParentNotTheOwner {
        /// `subagentRunId` of the event.
        tag: String,
        /// Id of the parent message.
        parent: String,
        /// Owner of the parent message.
        owner: Option<String>,
    },
    /// A tool call is reopened under a message of another owner.
    OwnedElsewhere {
        /// Owner of the call.
        owner: Option<String>,
        /// Id of the parent message.
        parent: String,
        /// Owner of the parent message.
        parent_owner: Option<String>,
    },
    /// A step is finished that was not started.
    StepNotStarted,
    /// A step is finished that another subagent started.
    StepOfAnother {
        /// Subagents that started it; `None` is the parent agent.
        owners: Vec<Option<String>>,
    },
    /// The run id of a subagent is used twice.
    SubagentReused,
    /// The parent of a subagent has not been started.
    UnknownParent {
        /// Id of the parent.
        parent: String,
    },
    /// The run ends while entities are open.
    StillOpen {
        /// Kind of the open entities.
        what: &'static str,
        /// Ids in the order of opening.
        ids: Vec<String>,
    },
    /// Too many entities are open at once.
    TooManyOpen,
}

impl VerifyError {
    pub(super) fn new(event: &Event, violation: Violation) -> Self {
        let (entity, id): (_, &str) = match event.data() {
            EventData::TextMessageStart(data) => ("text message", &data.message_id),
            EventData::TextMessageContent(data) => ("text message", &data.message_id),
            EventData::TextMessageEnd(data) => ("text message", &data.message_id),
            EventData::ToolCallStart(data) => ("tool call", &data.tool_call_id),
            EventData::ToolCallArgs(data) => ("tool call", &data.tool_call_id),
            EventData::ToolCallEnd(data) => ("tool call", &data.tool_call_id),
            EventData::StepStarted(data) => ("step", &data.step_name),
            EventData::StepFinished(data) => ("step", &data.step_name),
            EventData::ActivityDelta(data) => ("activity", &data.message_id),
            EventData::ReasoningStart(data) => ("reasoning span", &data.message_id),
            EventData::ReasoningEnd(data) => ("reasoning span", &data.message_id),
            EventData::ReasoningMessageStart(data) => ("reasoning message", &data.message_id),
            EventData::ReasoningMessageContent(data) => ("reasoning message", &data.message_id),
            EventData::ReasoningMessageEnd(data) => ("reasoning message", &data.message_id),
            EventData::ReasoningEncryptedValue(data) => ("encrypted value of", &data.entity_id),
            EventData::SubagentStarted(data) => ("subagent", &data.subagent_run_id),
            EventData::SubagentFinished(data) => ("subagent", &data.subagent_run_id),
            EventData::SubagentError(data) => ("subagent", &data.subagent_run_id),
            EventData::RunStarted(data) => ("run", &data.run_id),
            EventData::RunFinished(data) => ("run", &data.run_id),
            _ => ("run", ""),
        };
        Self {
            kind: event.kind(),
            entity,
            id: id.to_owned(),
            tag: event
                .common()
                .subagent_run_id
                .as_ref()
                .map(ToString::to_string),
            violation,
        }
    }

    /// Returns a short name of the violated rule.
    pub fn rule(&self) -> &'static str {
        match self.violation {
            Violation::NotStarted => "run-not-started",
            Violation::StillRunning => "run-still-active",
            Violation::RunFinished => "run-already-finished",
            Violation::RunErrored => "run-already-errored",
            Violation::AlreadyOpen => "already-in-progress",
            Violation::AlreadyActive => "already-active",
            Violation::NotOpen => "not-active",
            Violation::NotTheOwner { .. } => "wrong-subagent",
            Violation::ParentNotTheOwner { .. } => "wrong-subagent-for-parent-message",
            Violation::OwnedElsewhere { .. } => "tool-call-of-another-subagent",
            Violation::StepNotStarted => "step-not-started",
            Violation::StepOfAnother { .. } => "step-of-another-subagent",
            Violation::SubagentReused => "subagent-reused",
            Violation::UnknownParent { .. } => "subagent-parent-not-started",
            Violation::StillOpen { .. } => "run-finished-with-open",
            Violation::TooManyOpen => "limit-open",
        }
    }

    /// Returns what to do about it.
    pub fn hint(&self) -> &'static str {
        match self.violation {
            Violation::NotStarted => "send RUN_STARTED first",
            Violation::StillRunning => "end the run with RUN_FINISHED or RUN_ERROR before the next",
            Violation::RunFinished => "send it before RUN_FINISHED, or start a new run",
            Violation::RunErrored => "RUN_ERROR is the last event of a run; start a new run",
            Violation::AlreadyOpen => "end it before starting it again, or use another id",
            Violation::AlreadyActive => "finish it before starting it again",
            Violation::NotOpen => "send its start event first, and nothing after its end",
            Violation::NotTheOwner { .. } | Violation::ParentNotTheOwner { .. } => {
                "use the subagentRunId of its opener, or none"
            }
            Violation::OwnedElsewhere { .. } => "reopen it under a message of the same subagent",
            Violation::StepNotStarted => "send STEP_STARTED with the same stepName first",
            Violation::StepOfAnother { .. } => "finish it with the subagentRunId that started it",
            Violation::SubagentReused => "give each run of a subagent a unique id",
            Violation::UnknownParent { .. } => "send SUBAGENT_STARTED for the parent first",
            Violation::StillOpen { .. } => "send the missing end events before RUN_FINISHED",
            Violation::TooManyOpen => "end what is open before opening more",
        }
    }
}

fn in_subagent(tag: Option<&String>) -> String {
    tag.map_or_else(String::new, |tag| format!(" in subagent '{tag}'"))
}

fn name(owner: Option<&String>) -> String {
    match owner {
        Some(owner) => format!("subagent '{owner}'"),
        None => "(the parent agent)".to_owned(),
    }
}

impl Violation {
    fn describe(&self, entity: &str, id: &str) -> String {
        match self {
            Self::NotStarted => "the first event must be RUN_STARTED".to_owned(),
            Self::StillRunning => "a run is still active".to_owned(),
            Self::RunFinished => "the run has already finished with RUN_FINISHED".to_owned(),
            Self::RunErrored => "the run has already errored with RUN_ERROR".to_owned(),
            Self::AlreadyOpen => format!("{entity} '{id}' is already in progress"),
            Self::AlreadyActive => format!("{entity} '{id}' is already active"),
            Self::NotOpen => format!("no active {entity} '{id}'"),
            Self::NotTheOwner { tag, owner } => format!(
                "'{tag}' does not match the opener of {entity} '{id}', {}",
                name(owner.as_ref())
            ),
            Self::ParentNotTheOwner { tag, parent, owner } => format!(
                "'{tag}' of {entity} '{id}' does not match the owner of its parent \
                 message '{parent}', {}",
                name(owner.as_ref())
            ),
            Self::OwnedElsewhere {
                owner,
                parent,
                parent_owner,
            } => format!(
                "{entity} '{id}' is owned by {}, but its parent message '{parent}' is owned by {}",
                name(owner.as_ref()),
                name(parent_owner.as_ref())
            ),
            Self::StepNotStarted => format!("{entity} '{id}' was not started"),
            Self::StepOfAnother { owners } => {
                let owners: Vec<String> = owners.iter().map(|owner| name(owner.as_ref())).collect();
                format!("{entity} '{id}' is open under {}", owners.join(", "))
            }
            Self::SubagentReused => format!("{entity} '{id}' has ended and cannot be reused"),
            Self::UnknownParent { parent } => {
                format!("the parent '{parent}' of {entity} '{id}' has not been started")
            }
            Self::StillOpen { what, ids } => {
                const SHOWN: usize = 20;
                let more = ids.len().saturating_sub(SHOWN);
                let mut list = ids[..ids.len() - more].join(", ");
                if more > 0 {
                    list.push_str(&format!(" and {more} more"));
                }
                format!("{what} are still active: {list}")
            }
            Self::TooManyOpen => format!(
                "{entity} '{id}' would be number {} of its kind that is open; at most {} may be",
                super::MAX_OPEN,
                super::MAX_OPEN - 1
            ),
        }
    }
}
