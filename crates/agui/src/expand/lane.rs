//! Chunks and the open streams (lanes) that they extend.

use super::ExpandError;
use crate::event::{
    CommonFields, Event, EventData, ReasoningMessageContent, ReasoningMessageEnd,
    ReasoningMessageStart, ReasoningRole, TextMessageContent, TextMessageEnd, TextMessageStart,
    TextRole, ToolCallArgs, ToolCallEnd, ToolCallStart,
};
use json::Text;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChunkKind {
    Text,
    Tool,
    Reasoning,
}

impl ChunkKind {
    pub(super) fn entity(self) -> &'static str {
        match self {
            Self::Text => "text message",
            Self::Tool => "tool call",
            Self::Reasoning => "reasoning message",
        }
    }

    pub(super) fn event_name(self) -> &'static str {
        match self {
            Self::Text => "TEXT_MESSAGE_CHUNK",
            Self::Tool => "TOOL_CALL_CHUNK",
            Self::Reasoning => "REASONING_MESSAGE_CHUNK",
        }
    }
}

/// Open stream of chunks.
#[derive(Debug)]
pub(super) struct ChunkLane {
    /// Owner: a subagent, or the parent agent.
    pub(super) owner: Option<Text>,
    pub(super) id: Text,
    pub(super) opened: LaneOpening,
    /// `subagentRunId` of the first chunk. It may differ from the owner if the lane was found by
    /// its id.
    tag: Option<Text>,
}

/// Properties set by the first chunk.
#[derive(Debug)]
pub(super) enum LaneOpening {
    Text { role: TextRole, name: Option<Text> },
    Tool { name: Text, parent: Option<Text> },
    Reasoning,
}

impl LaneOpening {
    pub(super) fn kind(&self) -> ChunkKind {
        match self {
            Self::Text { .. } => ChunkKind::Text,
            Self::Tool { .. } => ChunkKind::Tool,
            Self::Reasoning => ChunkKind::Reasoning,
        }
    }
}

/// Chunk of any kind.
pub(super) struct ChunkEvent {
    pub(super) kind: ChunkKind,
    pub(super) id: Option<Text>,
    pub(super) delta: Option<Text>,
    role: Option<TextRole>,
    /// Display name of a text message, or name of a tool.
    name: Option<Text>,
    parent: Option<Text>,
    pub(super) common: CommonFields,
}

impl ChunkEvent {
    pub(super) fn from_event(data: EventData, common: CommonFields) -> Option<Self> {
        let (kind, id, delta, role, name, parent) = match data {
            EventData::TextMessageChunk(c) => {
                (ChunkKind::Text, c.message_id, c.delta, c.role, c.name, None)
            }
            EventData::ToolCallChunk(c) => (
                ChunkKind::Tool,
                c.tool_call_id,
                c.delta,
                None,
                c.tool_call_name,
                c.parent_message_id,
            ),
            EventData::ReasoningMessageChunk(c) => (
                ChunkKind::Reasoning,
                c.message_id,
                c.delta,
                None,
                None,
                None,
            ),
            _ => return None,
        };
        Some(Self {
            kind,
            id,
            delta,
            role,
            name,
            parent,
            common,
        })
    }
}

impl ChunkLane {
    pub(super) fn opened_by(owner: Option<Text>, chunk: &ChunkEvent) -> Result<Self, ExpandError> {
        let unnamed = |field| ExpandError::Unnamed {
            chunk: chunk.kind.event_name(),
            field,
        };
        let id = chunk.id.clone().ok_or_else(|| {
            unnamed(match chunk.kind {
                ChunkKind::Tool => "toolCallId",
                ChunkKind::Text | ChunkKind::Reasoning => "messageId",
            })
        })?;
        let opened = match chunk.kind {
            ChunkKind::Text => LaneOpening::Text {
                role: chunk.role.unwrap_or(TextRole::Assistant),
                name: chunk.name.clone(),
            },
            ChunkKind::Tool => LaneOpening::Tool {
                name: chunk.name.clone().ok_or_else(|| unnamed("toolCallName"))?,
                parent: chunk.parent.clone(),
            },
            ChunkKind::Reasoning => LaneOpening::Reasoning,
        };
        Ok(Self {
            owner,
            id,
            opened,
            tag: chunk.common.subagent_run_id.clone(),
        })
    }

    /// Fails if a later chunk contradicts the first one. Repeating its values is allowed.
    pub(super) fn check_agreement(&self, chunk: &ChunkEvent) -> Result<(), ExpandError> {
        let check = |field, received: Option<&str>, opened: Option<&str>| match received {
            Some(received) if Some(received) != opened => Err(ExpandError::Contradiction {
                entity: chunk.kind.entity(),
                id: self.id.to_string(),
                field,
                received: format!("'{received}'"),
                opened_with: opened
                    .map_or_else(|| "none".to_owned(), |opened| format!("'{opened}'")),
            }),
            _ => Ok(()),
        };
        match &self.opened {
            LaneOpening::Text { role, name } => {
                check(
                    "role",
                    chunk.role.map(TextRole::as_str),
                    Some(role.as_str()),
                )?;
                check("name", chunk.name.as_deref(), name.as_deref())
            }
            LaneOpening::Tool { name, parent } => {
                check("toolCallName", chunk.name.as_deref(), Some(name))?;
                check(
                    "parentMessageId",
                    chunk.parent.as_deref(),
                    parent.as_deref(),
                )
            }
            LaneOpening::Reasoning => Ok(()),
        }
    }

    pub(super) fn start_event(&self, chunk: &ChunkEvent) -> Event {
        let data: EventData = match &self.opened {
            LaneOpening::Text { role, name } => TextMessageStart {
                message_id: self.id.clone(),
                role: Some(*role),
                name: name.clone(),
            }
            .into(),
            LaneOpening::Tool { name, parent } => ToolCallStart {
                tool_call_id: self.id.clone(),
                tool_call_name: name.clone(),
                parent_message_id: parent.clone(),
            }
            .into(),
            LaneOpening::Reasoning => ReasoningMessageStart {
                message_id: self.id.clone(),
                role: ReasoningRole::Reasoning,
            }
            .into(),
        };
        Event::with_common(
            data,
            CommonFields {
                metadata: chunk.common.metadata.clone(),
                subagent_run_id: self.tag.clone(),
                ..CommonFields::default()
            },
        )
    }

    pub(super) fn content_event(&self, chunk: ChunkEvent) -> Event {
        let delta = chunk.delta.unwrap_or_else(|| Text::from(""));
        let data: EventData = match self.opened {
            LaneOpening::Text { .. } => TextMessageContent {
                message_id: self.id.clone(),
                delta,
            }
            .into(),
            LaneOpening::Tool { .. } => ToolCallArgs {
                tool_call_id: self.id.clone(),
                delta,
            }
            .into(),
            LaneOpening::Reasoning => ReasoningMessageContent {
                message_id: self.id.clone(),
                delta,
            }
            .into(),
        };
        Event::with_common(
            data,
            CommonFields {
                timestamp: None,
                raw_event: chunk.common.raw_event,
                metadata: chunk.common.metadata,
                subagent_run_id: chunk.common.subagent_run_id.or_else(|| self.tag.clone()),
            },
        )
    }

    pub(super) fn end_event(self) -> Event {
        let data: EventData = match self.opened {
            LaneOpening::Text { .. } => TextMessageEnd {
                message_id: self.id,
            }
            .into(),
            LaneOpening::Tool { .. } => ToolCallEnd {
                tool_call_id: self.id,
            }
            .into(),
            LaneOpening::Reasoning => ReasoningMessageEnd {
                message_id: self.id,
            }
            .into(),
        };
        Event::with_common(
            data,
            CommonFields {
                subagent_run_id: self.tag,
                ..CommonFields::default()
            },
        )
    }
}
