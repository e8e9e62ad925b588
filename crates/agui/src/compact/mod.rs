//! Compaction: fewer events with the same meaning.
//!
//! The result passes verification if the input did, folds to the same messages and state from any
//! initial ones, and never has more events. The reference groups the events of each message. If
//! that keeps the meaning, the result equals the reference's; otherwise only deltas are merged and
//! all other events keep their place.

use crate::event::{
    CommonFields, Event, EventData, StateSnapshot, TextMessageContent, ToolCallArgs,
};
use crate::verify::OrderVerifier;
use json::patch::{PatchMode, Patcher};
use json::{Json, JsonObject, MAX_DEPTH, Text};

mod fold_comparison;
mod fold_trace;
mod grouped_plan;
mod in_place_plan;
mod message_history;

/// Maximum length of a merged delta in bytes. Decoders refuse events of 10 MiB, and JSON may escape
/// a byte with six.
const MAX_MERGED: usize = 10 * 1024 * 1024 / 8;

/// Maximum length of a state as JSON that is written as one snapshot.
const MAX_STATE: usize = 9 * 1024 * 1024;

/// Part of the result, as indexes of input events.
#[derive(Debug, Clone, PartialEq, Eq)]
enum OutputPiece {
    /// Unchanged event.
    Keep(usize),
    /// Text or argument deltas of one message or call, to be merged.
    Merge(Vec<usize>),
    /// State events of a window.
    State(Vec<usize>),
}

/// Compacts events without chunks.
pub fn compact(events: &[Event]) -> Vec<Event> {
    let grouped = grouped_plan::plan(events);
    let order = event_order(&grouped);
    if fold_trace::folds_equally(events, &order) {
        let result = render(events, grouped);
        let is_valid = passes_verification(&result) || !passes_verification(events);
        if is_valid && fold_comparison::folds_equally(events, &result) {
            return result;
        }
    }
    render(events, in_place_plan::plan(events))
}

fn passes_verification(events: &[Event]) -> bool {
    let mut verifier = OrderVerifier::new();
    events.iter().all(|event| verifier.check(event).is_ok())
}

/// Returns the input events in the order in which the pieces apply them.
fn event_order(pieces: &[OutputPiece]) -> Vec<usize> {
    let mut order = Vec::new();
    for piece in pieces {
        match piece {
            OutputPiece::Keep(index) => order.push(*index),
            OutputPiece::Merge(indices) | OutputPiece::State(indices) => order.extend(indices),
        }
    }
    order
}

fn render(events: &[Event], pieces: Vec<OutputPiece>) -> Vec<Event> {
    let mut result = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match piece {
            OutputPiece::Keep(index) => result.push(events[index].clone()),
            OutputPiece::Merge(indices) => merge_all(events, &indices, &mut result),
            OutputPiece::State(indices) => state(events, &indices, &mut result),
        }
    }
    result
}

/// Merges the deltas of one message or call into as few events as decoders accept.
fn merge_all(events: &[Event], indices: &[usize], result: &mut Vec<Event>) {
    let length = |index: usize| match events[index].data() {
        EventData::TextMessageContent(data) => data.delta.len(),
        EventData::ToolCallArgs(data) => data.delta.len(),
        _ => 0,
    };
    let (mut start, mut total) = (0, 0);
    for (at, &index) in indices.iter().enumerate() {
        if at > start && total + length(index) > MAX_MERGED {
            result.extend(merge(events, &indices[start..at]));
            (start, total) = (at, 0);
        }
        total += length(index);
    }
    result.extend(merge(events, &indices[start..]));
}

/// Merges several deltas of one message or call into one event.
fn merge(events: &[Event], indices: &[usize]) -> Option<Event> {
    let mut delta = String::new();
    let mut metadata = None;
    for &index in indices {
        match events[index].data() {
            EventData::TextMessageContent(data) => delta.push_str(&data.delta),
            EventData::ToolCallArgs(data) => delta.push_str(&data.delta),
            _ => {}
        }
        merge_metadata(&mut metadata, &events[index]);
    }
    let delta = Text::from(delta);
    let data: EventData = match events[*indices.first()?].data() {
        EventData::TextMessageContent(data) => TextMessageContent {
            message_id: data.message_id.clone(),
            delta,
        }
        .into(),
        EventData::ToolCallArgs(data) => ToolCallArgs {
            tool_call_id: data.tool_call_id.clone(),
            delta,
        }
        .into(),
        _ => return None,
    };
    Some(with_metadata(data, metadata))
}

/// Writes a window of state events: one snapshot if it contains a snapshot, else the patches
/// unchanged.
fn state(events: &[Event], indices: &[usize], result: &mut Vec<Event>) {
    let is_snapshot = |index: &usize| matches!(events[*index].data(), EventData::StateSnapshot(_));
    let Some(last) = indices.iter().rposition(is_snapshot) else {
        result.extend(indices.iter().map(|&index| events[index].clone()));
        return;
    };
    let mut metadata = None;
    for &index in indices {
        merge_metadata(&mut metadata, &events[index]);
    }
    let mut snapshot = None;
    let mut patcher = Patcher::new(PatchMode::Agui);
    for &index in &indices[last..] {
        match (events[index].data(), &mut snapshot) {
            (EventData::StateSnapshot(data), snapshot) => *snapshot = Some(data.snapshot.clone()),
            (EventData::StateDelta(data), Some(state)) => {
                // A patch that does not apply changes nothing, here as in the fold.
                let _ = patcher.apply(Json::value_mut(state), &data.delta);
            }
            _ => {}
        }
    }
    let readable = |state: &Json| {
        let tree = state.value();
        tree.depth() + 1 < MAX_DEPTH && tree.to_json().len() < MAX_STATE
    };
    match snapshot.filter(|state| indices.len() == 1 || readable(state)) {
        Some(snapshot) => result.push(with_metadata(StateSnapshot { snapshot }.into(), metadata)),
        None => result.extend(indices.iter().map(|&index| events[index].clone())),
    }
}

fn with_metadata(data: EventData, metadata: Option<Box<JsonObject>>) -> Event {
    Event::with_common(
        data,
        CommonFields {
            metadata,
            ..CommonFields::default()
        },
    )
}

fn merge_metadata(merged: &mut Option<Box<JsonObject>>, event: &Event) {
    match (merged.as_mut(), &event.common().metadata) {
        (Some(merged), Some(metadata)) => merged.merge(metadata),
        (None, Some(metadata)) => *merged = Some(metadata.clone()),
        (_, None) => {}
    }
}
