//! Conservative plan: deltas are merged at their end or before an event that may depend on them;
//! all other events keep their place.

use hashbrown::HashMap;

use super::OutputPiece;
use super::grouped_plan::flush_state;
use crate::event::{Event, EventData};

/// Pending deltas by message or call, in the order of their first delta.
#[derive(Debug, Default)]
struct PendingDeltas<'a> {
    by_id: HashMap<&'a str, usize>,
    deltas: Vec<Vec<usize>>,
}

impl<'a> PendingDeltas<'a> {
    fn push(&mut self, id: &'a str, index: usize) {
        let Self { by_id, deltas } = self;
        let at = *by_id.entry(id).or_insert_with(|| {
            deltas.push(Vec::new());
            deltas.len() - 1
        });
        deltas[at].push(index);
    }

    fn flush(&mut self, id: &str, pieces: &mut Vec<OutputPiece>) {
        if let Some(at) = self.by_id.remove(id) {
            pieces.push(OutputPiece::Merge(std::mem::take(&mut self.deltas[at])));
        }
    }

    fn flush_all(&mut self, pieces: &mut Vec<OutputPiece>) {
        self.by_id.clear();
        let waiting = self.deltas.drain(..).filter(|deltas| !deltas.is_empty());
        pieces.extend(waiting.map(OutputPiece::Merge));
    }
}

pub(super) fn plan(events: &[Event]) -> Vec<OutputPiece> {
    let mut pieces = Vec::new();
    let (mut texts, mut calls) = (PendingDeltas::default(), PendingDeltas::default());
    let mut state = Vec::new();
    for (index, event) in events.iter().enumerate() {
        match event.data() {
            EventData::TextMessageContent(data) => {
                texts.push(&data.message_id, index);
                continue;
            }
            EventData::ToolCallArgs(data) => {
                calls.push(&data.tool_call_id, index);
                continue;
            }
            EventData::StateSnapshot(_) | EventData::StateDelta(_) => {
                state.push(index);
                continue;
            }
            // Events that may create, replace or remove the message of pending deltas.
            EventData::TextMessageStart(data) => texts.flush(&data.message_id, &mut pieces),
            EventData::TextMessageEnd(data) => texts.flush(&data.message_id, &mut pieces),
            EventData::ReasoningMessageStart(data) => texts.flush(&data.message_id, &mut pieces),
            EventData::ReasoningMessageContent(data) => texts.flush(&data.message_id, &mut pieces),
            EventData::ReasoningMessageEnd(data) => texts.flush(&data.message_id, &mut pieces),
            EventData::ToolCallResult(data) => texts.flush(&data.message_id, &mut pieces),
            EventData::ToolCallStart(data) => {
                calls.flush(&data.tool_call_id, &mut pieces);
                texts.flush(&data.tool_call_id, &mut pieces);
                if let Some(parent) = &data.parent_message_id {
                    texts.flush(parent, &mut pieces);
                }
            }
            EventData::ToolCallEnd(data) => calls.flush(&data.tool_call_id, &mut pieces),
            EventData::ActivityDelta(data) => texts.flush(&data.message_id, &mut pieces),
            EventData::ActivitySnapshot(data) => {
                texts.flush(&data.message_id, &mut pieces);
                // The activity may replace the message that holds a call.
                calls.flush_all(&mut pieces);
            }
            EventData::MessagesSnapshot(_)
            | EventData::RunStarted(_)
            | EventData::RunFinished(_)
            | EventData::RunError(_) => {
                texts.flush_all(&mut pieces);
                calls.flush_all(&mut pieces);
                if !matches!(event.data(), EventData::MessagesSnapshot(_)) {
                    flush_state(&mut state, &mut pieces);
                }
            }
            _ => {}
        }
        pieces.push(OutputPiece::Keep(index));
    }
    texts.flush_all(&mut pieces);
    calls.flush_all(&mut pieces);
    flush_state(&mut state, &mut pieces);
    pieces
}
