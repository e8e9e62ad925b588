//! The reference's plan: the events of each message or call together, where it ends.

use std::mem::take;

use hashbrown::HashMap;

use super::Piece;
use crate::event::{Event, EventData};

/// A text message or a tool call that has begun.
#[derive(Debug, Default)]
struct Open {
    start: Option<usize>,
    deltas: Vec<usize>,
    end: Option<usize>,
    /// Other events that came while this was the first open stream.
    others: Vec<usize>,
}

impl Open {
    fn flush(self, pieces: &mut Vec<Piece>) {
        pieces.extend(self.start.map(Piece::Keep));
        if !self.deltas.is_empty() {
            pieces.push(Piece::Merge(self.deltas));
        }
        pieces.extend(self.end.map(Piece::Keep));
        pieces.extend(self.others.into_iter().map(Piece::Keep));
    }
}

/// Open streams of one kind, in the order they were first mentioned.
#[derive(Debug, Default)]
struct Streams<'a> {
    by_id: HashMap<&'a str, usize>,
    open: Vec<Option<Open>>,
    /// No stream before this one is open.
    first: usize,
}

impl<'a> Streams<'a> {
    fn at(&mut self, id: &'a str) -> &mut Open {
        let Self { by_id, open, .. } = self;
        let at = *by_id.entry(id).or_insert_with(|| {
            open.push(None);
            open.len() - 1
        });
        self.open[at].get_or_insert_default()
    }

    fn end(&mut self, id: &'a str, index: usize, pieces: &mut Vec<Piece>) {
        self.at(id).end = Some(index);
        if let Some(open) = self.by_id.remove(id).and_then(|at| self.open[at].take()) {
            open.flush(pieces);
        }
    }

    /// The first stream that has a start and no end.
    fn first_open(&mut self) -> Option<&mut Open> {
        while self.open.get(self.first).is_some_and(Option::is_none) {
            self.first += 1;
        }
        self.open[self.first..]
            .iter_mut()
            .flatten()
            .find(|open| open.start.is_some())
    }

    fn flush(self, pieces: &mut Vec<Piece>) {
        for open in self.open.into_iter().flatten() {
            open.flush(pieces);
        }
    }
}

pub(super) fn plan(events: &[Event]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut texts, mut calls) = (Streams::default(), Streams::default());
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
                pieces.push(Piece::Keep(index));
            }
            _ => match texts.first_open().or_else(|| calls.first_open()) {
                Some(open) => open.others.push(index),
                None => pieces.push(Piece::Keep(index)),
            },
        }
    }
    texts.flush(&mut pieces);
    calls.flush(&mut pieces);
    flush_state(&mut state, &mut pieces);
    pieces
}

pub(super) fn flush_state(state: &mut Vec<usize>, pieces: &mut Vec<Piece>) {
    if !state.is_empty() {
        pieces.push(Piece::State(take(state)));
    }
}
