//! Chunk expansion: `*_CHUNK` events become start, content and end events.

use crate::event::{Event, EventData};
use json::Text;

mod error;
mod lane;

pub use error::ExpandError;
use lane::{ChunkEvent, ChunkLane};

/// Maximum number of chunk streams that are open at once.
pub const MAX_LANES: usize = 1_000;

/// Expands the chunks of one event stream.
#[derive(Debug, Default)]
pub struct Expander {
    /// Open lanes in the order of their first chunk; at most one per owner.
    lanes: Vec<ChunkLane>,
}

impl Expander {
    /// Creates an expander for a new stream.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns true if the event needs no expansion and closes no lane.
    #[inline]
    pub fn passes_unchanged(&self, event: &Event) -> bool {
        self.lanes.is_empty()
            && !matches!(
                event.data(),
                EventData::TextMessageChunk(_)
                    | EventData::ToolCallChunk(_)
                    | EventData::ReasoningMessageChunk(_)
            )
    }

    /// Expands an event and appends the result to `out`.
    pub fn expand(&mut self, event: Event, out: &mut Vec<Event>) -> Result<(), ExpandError> {
        if self.passes_unchanged(&event) {
            out.push(event);
            return Ok(());
        }
        match event.data() {
            EventData::TextMessageChunk(_)
            | EventData::ToolCallChunk(_)
            | EventData::ReasoningMessageChunk(_) => {
                let (data, common) = event.into_parts();
                return match ChunkEvent::from_event(data, common) {
                    Some(chunk) => self.expand_chunk(chunk, out),
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
                out.extend(self.lanes.drain(..).map(|lane| lane.end_event()));
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
            out.push(self.lanes.remove(at).end_event());
        }
    }

    /// Returns the owner of the lane that a chunk belongs to.
    fn lane_owner(&self, chunk: &ChunkEvent) -> Result<Option<Text>, ExpandError> {
        let tag = &chunk.common.subagent_run_id;
        let same_kind = |lane: &&ChunkLane| lane.opened.kind() == chunk.kind;
        if let Some(id) = &chunk.id {
            let holder = self
                .lanes
                .iter()
                .filter(same_kind)
                .find(|lane| lane.id == *id);
            return match holder {
                Some(lane) if tag.is_some() && *tag != lane.owner => {
                    Err(ExpandError::ForeignLane {
                        chunk: chunk.kind.event_name(),
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
                chunk: chunk.kind.event_name(),
                entity: chunk.kind.entity(),
                lanes: others + 1,
            }),
        }
    }

    fn expand_chunk(&mut self, chunk: ChunkEvent, out: &mut Vec<Event>) -> Result<(), ExpandError> {
        let owner = self.lane_owner(&chunk)?;
        let emitted = out.len();
        let continued = self.position(owner.as_ref()).filter(|&at| {
            let lane = &self.lanes[at];
            lane.opened.kind() == chunk.kind && chunk.id.as_ref().is_none_or(|id| *id == lane.id)
        });
        let at = match continued {
            Some(at) => {
                self.lanes[at].check_agreement(&chunk)?;
                at
            }
            None => {
                let lane = ChunkLane::opened_by(owner.clone(), &chunk)?;
                self.close(owner.as_ref(), out);
                if self.lanes.len() >= MAX_LANES {
                    return Err(ExpandError::TooManyLanes);
                }
                out.push(lane.start_event(&chunk));
                self.lanes.push(lane);
                self.lanes.len() - 1
            }
        };
        let is_empty = chunk.delta.is_none() && chunk.common.raw_event.is_none();
        if is_empty && (out.len() > emitted || chunk.common.metadata.is_none()) {
            return Ok(());
        }
        out.push(self.lanes[at].content_event(chunk));
        Ok(())
    }
}

fn owner_name(owner: Option<&Text>) -> String {
    owner.map_or_else(
        || "(the parent agent)".to_owned(),
        |owner| format!("subagent '{owner}'"),
    )
}
