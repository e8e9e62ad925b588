//! Compaction: fewer events that say the same.
//!
//! The result verifies if the input did, folds to the same messages and state from any initial ones,
//! and never has more events. The reference groups the events of each message; where that keeps the
//! meaning the result equals the reference's, elsewhere deltas are merged and everything else stays
//! in its place.

use crate::event::{Common, Event, EventData, StateSnapshot, TextMessageContent, ToolCallArgs};
use crate::json::{Json, JsonObject, MAX_DEPTH, Text};
use crate::patch::{Mode, Patcher};
use crate::verify::Verifier;

mod group;
mod history;
mod in_place;
mod trace;
mod trial;

/// How long a merged text may be. Readers refuse events of 10 MiB, and JSON may escape a character
/// with six.
const MAX_MERGED: usize = 10 * 1024 * 1024 / 8;

/// How long a state may be as JSON to be written as one snapshot.
const MAX_STATE: usize = 9 * 1024 * 1024;

/// A piece of the result: which input events it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    /// One event as it is.
    Keep(usize),
    /// Text or argument deltas of one message or call, merged.
    Merge(Vec<usize>),
    /// The state events of a window.
    State(Vec<usize>),
}

/// Compacts expanded events.
pub fn compact(events: &[Event]) -> Vec<Event> {
    let grouped = group::plan(events);
    let order = in_order(&grouped);
    if trace::same_fold(events, &order) {
        let result = render(events, grouped);
        let verifies = verifies(&result) || !verifies(events);
        if verifies && trial::fold_alike(events, &result) {
            return result;
        }
    }
    render(events, in_place::plan(events))
}

fn verifies(events: &[Event]) -> bool {
    let mut verifier = Verifier::new();
    events.iter().all(|event| verifier.check(event).is_ok())
}

/// The input events in the order in which the pieces apply them.
fn in_order(pieces: &[Piece]) -> Vec<usize> {
    let mut order = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Keep(index) => order.push(*index),
            Piece::Merge(indices) | Piece::State(indices) => order.extend(indices),
        }
    }
    order
}

fn render(events: &[Event], pieces: Vec<Piece>) -> Vec<Event> {
    let mut result = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match piece {
            Piece::Keep(index) => result.push(events[index].clone()),
            Piece::Merge(indices) => merge_all(events, &indices, &mut result),
            Piece::State(indices) => state(events, &indices, &mut result),
        }
    }
    result
}

/// As few delta events for several of one message or call as readers accept.
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

/// One delta event for several of one message or call.
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

/// A window of state events: one snapshot if there is one, else the patches as they are.
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
    let mut patcher = Patcher::new(Mode::Agui);
    for &index in &indices[last..] {
        match (events[index].data(), &mut snapshot) {
            (EventData::StateSnapshot(data), snapshot) => *snapshot = Some(data.snapshot.clone()),
            (EventData::StateDelta(data), Some(state)) => {
                // One that does not apply changes nothing, here as in the fold.
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
        Common {
            metadata,
            ..Common::default()
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
