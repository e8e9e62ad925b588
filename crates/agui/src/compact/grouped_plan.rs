//! Plan of the reference implementation: groups the events of each message or call at its end.

use std::mem::take;

use hashbrown::HashMap;

use super::OutputPiece;
use crate::event::{Event, EventData};

/// Text message or tool call that has started.
#[derive(Debug, Default)]
struct OpenStream {
    start: Option<usize>,
    deltas: Vec<usize>,
    end: Option<usize>,
    /// Other events that came while this was the first open stream.
    others: Vec<usize>,
}

impl OpenStream {
    fn flush(self, pieces: &mut Vec<OutputPiece>) {
        pieces.extend(self.start.map(OutputPiece::Keep));
        if !self.deltas.is_empty() {
            pieces.push(OutputPiece::Merge(self.deltas));
        }
        pieces.extend(self.end.map(OutputPiece::Keep));
        pieces.extend(self.others.into_iter().map(OutputPiece::Keep));
    }
}

/// Open streams of one kind, in the order of their first event.
#[derive(Debug, Default)]
struct OpenStreams<'a> {
    by_id: HashMap<&'a str, usize>,
    open: Vec<Option<OpenStream>>,
    /// No stream before this index is open.
    first: usize,
}

impl<'a> OpenStreams<'a> {
    fn at(&mut self, id: &'a str) -> &mut OpenStream {
        let Self { by_id, open, .. } = self;
        let at = *by_id.entry(id).or_insert_with(|| {
            open.push(None);
            open.len() - 1
        });
        self.open[at].get_or_insert_default()
    }

    fn end(&mut self, id: &'a str, index: usize, pieces: &mut Vec<OutputPiece>) {
        self.at(id).end = Some(index);
        if let Some(open) = self.by_id.remove(id).and_then(|at| self.open[at].take()) {
            open.flush(pieces);
        }
    }

    /// Returns the first stream that has a start and no end.
    fn first_open(&mut self) -> Option<&mut OpenStream> {
        while self.open.get(self.first).is_some_and(Option::is_none) {
            self.first += 1;
        }
        self.open[self.first..]
            .iter_mut()
            .flatten()
            .find(|open| open.start.is_some())
    }

    fn flush(self, pieces: &mut Vec<OutputPiece>) {
        for open in self.open.into_iter().flatten() {
            open.flush(pieces);
        }
    }
}

pub(super) fn plan(events: &[Event]) -> Vec<OutputPiece> {
    let mut pieces = Vec::new();
    let (mut texts, mut calls) = (OpenStreams::default(), OpenStreams::default());
    let mut state = Vec::new();
    for (index, event) in events.iter().enumerate() {
        match event.data() {
            EventData::TextMessageStart(data) => texts.at(&data.message_id).start = Some(index),
            EventData::TextMessageContent(data) => texts.at(&data.message_id).deltas.push(index),
            EventData::TextMessageEnd(data) => texts.end(&data.message_id, index, &mut pieces),
            EventData::ToolCallStart(data) => calls.at(&data.tool_call_id).start = Some(index),
            EventData::ToolCallArgs(data) => calls.at(&data.tool_call_id).deltas.push(index),
            EventData::ToolCallEnd(data) => calls.end(&data.tool_call_id, index, &mut pieces),
            EventData::StateSnapshot(_) | EventData::StateDelta(_) => state.push(index),
            EventData::RunStarted(_) | EventData::RunFinished(_) | EventData::RunError(_) => {
                flush_state(&mut state, &mut pieces);
                pieces.push(OutputPiece::Keep(index));
            }
            _ => match texts.first_open().or_else(|| calls.first_open()) {
                Some(open) => open.others.push(index),
                None => pieces.push(OutputPiece::Keep(index)),
            },
        }
    }
    texts.flush(&mut pieces);
    calls.flush(&mut pieces);
    flush_state(&mut state, &mut pieces);
    pieces
}

pub(super) fn flush_state(state: &mut Vec<usize>, pieces: &mut Vec<OutputPiece>) {
    if !state.is_empty() {
        pieces.push(OutputPiece::State(take(state)));
    }
}
