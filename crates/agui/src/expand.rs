//! Chunk expansion: `*_CHUNK` events become start, content and end events.

use crate::event::{
    Common, Event, EventData, ReasoningMessageContent, ReasoningMessageEnd, ReasoningMessageStart,
    ReasoningRole, TextMessageContent, TextMessageEnd, TextMessageStart, TextRole, ToolCallArgs,
    ToolCallEnd, ToolCallStart,
};
use crate::json::Text;

/// How many chunk streams may be open at once.
pub const MAX_LANES: usize = 1_000;

/// A chunk that cannot be expanded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpandError {
    /// A chunk opens a stream but does not name it.
    #[error("the first {chunk} must have a {field}")]
    Unnamed {
        /// The event type.
        chunk: &'static str,
        /// What is missing.
        field: &'static str,
    },
    /// A chunk names a stream that another subagent opened.
    #[error(
        "{chunk}: subagent '{tag}' cannot continue {entity} '{id}', which was opened by {owner}"
    )]
    ForeignLane {
        /// The event type.
        chunk: &'static str,
        /// What it continues.
        entity: &'static str,
        /// Its id.
        id: String,
        /// Who sent the chunk.
        tag: String,
        /// Who opened the stream.
        owner: String,
    },
    /// A chunk names neither a stream nor a subagent, and several streams are open.
    #[error(
        "ambiguous {chunk}: it has neither an id nor a subagentRunId, but {lanes} lanes have an open {entity}"
    )]
    Ambiguous {
        /// The event type.
        chunk: &'static str,
        /// What it could continue.
        entity: &'static str,
        /// How many there are.
        lanes: usize,
    },
    /// A chunk contradicts the one that opened its stream.
    #[error("{entity} '{id}': {field} is {given}, but it was opened with {opened}")]
    Contradiction {
        /// What it continues.
        entity: &'static str,
        /// Its id.
        id: String,
        /// The field that differs.
        field: &'static str,
        /// What the chunk says.
        given: String,
        /// What the opener said.
        opened: String,
    },
    /// Too many chunk streams are open at once.
    #[error("more than {MAX_LANES} chunk streams are open at once")]
    TooManyLanes,
}

impl ExpandError {
    /// A short name for the broken rule.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Tool,
    Reasoning,
}

impl Kind {
    fn entity(self) -> &'static str {
        match self {
            Self::Text => "text message",
            Self::Tool => "tool call",
            Self::Reasoning => "reasoning message",
        }
    }

    fn chunk(self) -> &'static str {
        match self {
            Self::Text => "TEXT_MESSAGE_CHUNK",
            Self::Tool => "TOOL_CALL_CHUNK",
            Self::Reasoning => "REASONING_MESSAGE_CHUNK",
        }
    }
}

/// A stream that chunks have opened.
#[derive(Debug)]
struct Lane {
    /// Whose lane it is: a subagent's, or the parent agent's.
    owner: Option<Text>,
    id: Text,
    opened: Opened,
    /// The `subagentRunId` of the opener; a chunk found by its id may sit in another's lane.
    tag: Option<Text>,
}

/// What the opener established.
#[derive(Debug)]
enum Opened {
    Text { role: TextRole, name: Option<Text> },
    Tool { name: Text, parent: Option<Text> },
    Reasoning,
}

impl Opened {
    fn kind(&self) -> Kind {
        match self {
            Self::Text { .. } => Kind::Text,
            Self::Tool { .. } => Kind::Tool,
            Self::Reasoning => Kind::Reasoning,
        }
    }
}

/// A chunk of any kind.
struct Chunk {
    kind: Kind,
    id: Option<Text>,
    delta: Option<Text>,
    role: Option<TextRole>,
    /// The name of a text message, or of a tool.
    name: Option<Text>,
    parent: Option<Text>,
    common: Common,
}

/// Expands the chunks of one stream.
#[derive(Debug, Default)]
pub struct Expander {
    /// In the order they were opened; at most one per owner.
    lanes: Vec<Lane>,
}

impl Expander {
    /// An expander for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether this event passes as it is.
    #[inline]
    pub fn passes(&self, event: &Event) -> bool {
        self.lanes.is_empty()
            && !matches!(
                event.data(),
                EventData::TextMessageChunk(_)
                    | EventData::ToolCallChunk(_)
                    | EventData::ReasoningMessageChunk(_)
            )
    }

    /// Appends what the event becomes to `out`.
    pub fn expand(&mut self, event: Event, out: &mut Vec<Event>) -> Result<(), ExpandError> {
        if self.passes(&event) {
            out.push(event);
            return Ok(());
        }
        match event.data() {
            EventData::TextMessageChunk(_)
            | EventData::ToolCallChunk(_)
            | EventData::ReasoningMessageChunk(_) => {
                let (data, common) = event.into_parts();
                return match Chunk::of(data, common) {
                    Some(chunk) => self.chunk(chunk, out),
                    None => Ok(()),
                };
            }
            EventData::Raw(_)
            | EventData::ActivitySnapshot(_)
            | EventData::ActivityDelta(_)
            | EventData::ReasoningEncryptedValue(_)
            | EventData::SubagentStarted(_) => {}
            EventData::RunStarted(_)
            | EventData::RunFinished(_)
            | EventData::RunError(_)
            | EventData::MessagesSnapshot(_) => {
                out.extend(self.lanes.drain(..).map(|lane| lane.end()));
            }
            EventData::SubagentFinished(data) => self.close(Some(&data.subagent_run_id), out),
            EventData::SubagentError(data) => self.close(Some(&data.subagent_run_id), out),
            _ => self.close(event.common().subagent_run_id.as_ref(), out),
        }
        out.push(event);
        Ok(())
    }

    fn position(&self, owner: Option<&Text>) -> Option<usize> {
        self.lanes
            .iter()
            .position(|lane| lane.owner.as_ref() == owner)
    }

    fn close(&mut self, owner: Option<&Text>, out: &mut Vec<Event>) {
        if let Some(at) = self.position(owner) {
            out.push(self.lanes.remove(at).end());
        }
    }

    /// The lane a chunk belongs to, by its owner.
    fn lane_of(&self, chunk: &Chunk) -> Result<Option<Text>, ExpandError> {
        let tag = &chunk.common.subagent_run_id;
        let same_kind = |lane: &&Lane| lane.opened.kind() == chunk.kind;
        if let Some(id) = &chunk.id {
            let holder = self
                .lanes
                .iter()
                .filter(same_kind)
                .find(|lane| lane.id == *id);
            return match holder {
                Some(lane) if tag.is_some() && *tag != lane.owner => {
                    Err(ExpandError::ForeignLane {
                        chunk: chunk.kind.chunk(),
                        entity: chunk.kind.entity(),
                        id: id.to_string(),
                        tag: tag.as_deref().unwrap_or_default().to_owned(),
                        owner: owner_name(lane.owner.as_ref()),
                    })
                }
                Some(lane) => Ok(lane.owner.clone()),
                None => Ok(tag.clone()),
            };
        }
        if tag.is_some() {
            return Ok(tag.clone());
        }
        let mut candidates = self.lanes.iter().filter(same_kind);
        if self
            .lanes
            .iter()
            .filter(same_kind)
            .any(|lane| lane.owner.is_none())
        {
            return Ok(None);
        }
        match (candidates.next(), candidates.count()) {
            (None, _) => Ok(None),
            (Some(lane), 0) => Ok(lane.owner.clone()),
            (Some(_), others) => Err(ExpandError::Ambiguous {
                chunk: chunk.kind.chunk(),
                entity: chunk.kind.entity(),
                lanes: others + 1,
            }),
        }
    }

    fn chunk(&mut self, chunk: Chunk, out: &mut Vec<Event>) -> Result<(), ExpandError> {
        let owner = self.lane_of(&chunk)?;
        let emitted = out.len();
        let continued = self.position(owner.as_ref()).filter(|&at| {
            let lane = &self.lanes[at];
            lane.opened.kind() == chunk.kind && chunk.id.as_ref().is_none_or(|id| *id == lane.id)
        });
        let at = match continued {
            Some(at) => {
                self.lanes[at].agree(&chunk)?;
                at
            }
            None => {
                let lane = Lane::open(owner.clone(), &chunk)?;
                self.close(owner.as_ref(), out);
                if self.lanes.len() >= MAX_LANES {
                    return Err(ExpandError::TooManyLanes);
                }
                out.push(lane.start(&chunk));
                self.lanes.push(lane);
                self.lanes.len() - 1
            }
        };
        let says_nothing = chunk.delta.is_none() && chunk.common.raw_event.is_none();
        if says_nothing && (out.len() > emitted || chunk.common.metadata.is_none()) {
            return Ok(());
        }
        out.push(self.lanes[at].content(chunk));
        Ok(())
    }
}

fn owner_name(owner: Option<&Text>) -> String {
    owner.map_or_else(
        || "(the parent agent)".to_owned(),
        |owner| format!("subagent '{owner}'"),
    )
}

impl Chunk {
    fn of(data: EventData, common: Common) -> Option<Self> {
        let (kind, id, delta, role, name, parent) = match data {
            EventData::TextMessageChunk(c) => {
                (Kind::Text, c.message_id, c.delta, c.role, c.name, None)
            }
            EventData::ToolCallChunk(c) => (
                Kind::Tool,
                c.tool_call_id,
                c.delta,
                None,
                c.tool_call_name,
                c.parent_message_id,
            ),
            EventData::ReasoningMessageChunk(c) => {
                (Kind::Reasoning, c.message_id, c.delta, None, None, None)
            }
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

impl Lane {
    fn open(owner: Option<Text>, chunk: &Chunk) -> Result<Self, ExpandError> {
        let unnamed = |field| ExpandError::Unnamed {
            chunk: chunk.kind.chunk(),
            field,
        };
        let id = chunk.id.clone().ok_or_else(|| {
            unnamed(match chunk.kind {
                Kind::Tool => "toolCallId",
                Kind::Text | Kind::Reasoning => "messageId",
            })
        })?;
        let opened = match chunk.kind {
            Kind::Text => Opened::Text {
                role: chunk.role.unwrap_or(TextRole::Assistant),
                name: chunk.name.clone(),
            },
            Kind::Tool => Opened::Tool {
                name: chunk.name.clone().ok_or_else(|| unnamed("toolCallName"))?,
                parent: chunk.parent.clone(),
            },
            Kind::Reasoning => Opened::Reasoning,
        };
        Ok(Self {
            owner,
            id,
            opened,
            tag: chunk.common.subagent_run_id.clone(),
        })
    }

    /// A continuation may repeat what the opener said, but not say otherwise.
    fn agree(&self, chunk: &Chunk) -> Result<(), ExpandError> {
        let check = |field, given: Option<&str>, opened: Option<&str>| match given {
            Some(given) if Some(given) != opened => Err(ExpandError::Contradiction {
                entity: chunk.kind.entity(),
                id: self.id.to_string(),
                field,
                given: format!("'{given}'"),
                opened: opened.map_or_else(|| "none".to_owned(), |opened| format!("'{opened}'")),
            }),
            _ => Ok(()),
        };
        match &self.opened {
            Opened::Text { role, name } => {
                check(
                    "role",
                    chunk.role.map(TextRole::as_str),
                    Some(role.as_str()),
                )?;
                check("name", chunk.name.as_deref(), name.as_deref())
            }
            Opened::Tool { name, parent } => {
                check("toolCallName", chunk.name.as_deref(), Some(name))?;
                check(
                    "parentMessageId",
                    chunk.parent.as_deref(),
                    parent.as_deref(),
                )
            }
            Opened::Reasoning => Ok(()),
        }
    }

    fn start(&self, chunk: &Chunk) -> Event {
        let data: EventData = match &self.opened {
            Opened::Text { role, name } => TextMessageStart {
                message_id: self.id.clone(),
                role: Some(*role),
                name: name.clone(),
            }
            .into(),
            Opened::Tool { name, parent } => ToolCallStart {
                tool_call_id: self.id.clone(),
                tool_call_name: name.clone(),
                parent_message_id: parent.clone(),
            }
            .into(),
            Opened::Reasoning => ReasoningMessageStart {
                message_id: self.id.clone(),
                role: ReasoningRole::Reasoning,
            }
            .into(),
        };
        Event::with_common(
            data,
            Common {
                metadata: chunk.common.metadata.clone(),
                subagent_run_id: self.tag.clone(),
                ..Common::default()
            },
        )
    }

    fn content(&self, chunk: Chunk) -> Event {
        let delta = chunk.delta.unwrap_or_else(|| Text::from(""));
        let data: EventData = match self.opened {
            Opened::Text { .. } => TextMessageContent {
                message_id: self.id.clone(),
                delta,
            }
            .into(),
            Opened::Tool { .. } => ToolCallArgs {
                tool_call_id: self.id.clone(),
                delta,
            }
            .into(),
            Opened::Reasoning => ReasoningMessageContent {
                message_id: self.id.clone(),
                delta,
            }
            .into(),
        };
        Event::with_common(
            data,
            Common {
                timestamp: None,
                raw_event: chunk.common.raw_event,
                metadata: chunk.common.metadata,
                subagent_run_id: chunk.common.subagent_run_id.or_else(|| self.tag.clone()),
            },
        )
    }

    fn end(self) -> Event {
        let data: EventData = match self.opened {
            Opened::Text { .. } => TextMessageEnd {
                message_id: self.id,
            }
            .into(),
            Opened::Tool { .. } => ToolCallEnd {
                tool_call_id: self.id,
            }
            .into(),
            Opened::Reasoning => ReasoningMessageEnd {
                message_id: self.id,
            }
            .into(),
        };
        Event::with_common(
            data,
            Common {
                subagent_run_id: self.tag,
                ..Common::default()
            },
        )
    }
}
