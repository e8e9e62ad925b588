//! Proof that two orders of the same events fold equally, for any initial messages.
//!
//! A trace keeps only what the fold can observe: the order in which messages may be created, and
//! for each message and call the events that affect it, in order. Equal traces fold equally. A
//! snapshot or a run's input brings its own messages and divides a trace; events may only move
//! across a divider if the snapshot undoes them.

use hashbrown::{HashMap, HashSet};

use super::message_history::{MessageCreator, MessageHistory};
use crate::event::{EncryptedSubtype, Event, EventData, MessagesSnapshot, TextRole};
use crate::model::Role;
use json::Text;

/// Returns true if applying the events in this order folds to the same result as their own order.
pub(super) fn folds_equally(events: &[Event], order: &[usize]) -> bool {
    let own: Vec<usize> = (0..events.len()).collect();
    Trace::of(events, &own) == Trace::of(events, order)
}

#[derive(Debug, Default, PartialEq)]
struct Trace<'a> {
    segments: Vec<TraceSegment<'a>>,
    runs: Vec<RunTrace<'a>>,
}

/// Data that determines which calls are pending at the end of a run.
#[derive(Debug, Default, PartialEq)]
struct RunTrace<'a> {
    /// Calls in the order of their first start.
    started: Vec<&'a str>,
    known: HashSet<&'a str>,
    answered: HashSet<&'a str>,
}

/// Part of a trace between two dividers.
#[derive(Debug, Default, PartialEq)]
struct TraceSegment<'a> {
    divider: Option<usize>,
    /// Content of the divider, if it is a snapshot.
    snapshot: Option<SnapshotTrace<'a>>,
    /// Events that may append a message, in order.
    creations: Vec<CreationEvent<'a>>,
    /// Tool results: event indexes and message ids, in order.
    results: Vec<(usize, &'a str)>,
    messages: HashMap<&'a str, MessageHistory<'a>>,
    calls: HashMap<&'a str, MessageHistory<'a>>,
    /// Activity events by message; they do not interact with text.
    activities: HashMap<&'a str, Vec<usize>>,
}

#[derive(Debug, PartialEq)]
struct SnapshotTrace<'a> {
    messages: HashSet<&'a str>,
    calls: HashSet<&'a str>,
    has_reasoning: bool,
}

#[derive(Debug, PartialEq)]
enum CreationEvent<'a> {
    Message(&'a str),
    Call {
        id: &'a str,
        parent: Option<&'a str>,
    },
    /// Result of a call that may not exist.
    Result {
        index: usize,
        message: &'a str,
    },
    /// Activity that may replace a message which holds calls.
    Activity(usize),
}

impl<'a> SnapshotTrace<'a> {
    fn of(data: &'a MessagesSnapshot) -> Self {
        let messages = data.messages.iter();
        let calls = data
            .messages
            .iter()
            .flat_map(|message| message.tool_calls());
        Self {
            messages: messages.map(|message| message.id.as_str()).collect(),
            calls: calls.map(|call| call.id.as_str()).collect(),
            has_reasoning: data
                .messages
                .iter()
                .any(|message| message.role == Role::Reasoning),
        }
    }
}

/// Returns the calls that exist after a snapshot. If two messages have the same id, only the last
/// may be used.
fn certain_calls(data: &MessagesSnapshot) -> HashSet<&str> {
    let mut seen = HashSet::new();
    let latest = data.messages.iter().rev();
    latest
        .filter(|message| seen.insert(message.id.as_str()))
        .flat_map(|message| message.tool_calls())
        .map(|call| call.id.as_str())
        .collect()
}

/// Returns the ids that a snapshot uses only for activities.
fn only_activities(data: &MessagesSnapshot) -> HashSet<&str> {
    let ids = |activities: bool| {
        let messages = data.messages.iter();
        let kind = messages.filter(move |message| (message.role == Role::Activity) == activities);
        kind.map(|message| message.id.as_str())
    };
    let others: HashSet<&str> = ids(false).collect();
    ids(true).filter(|id| !others.contains(id)).collect()
}

impl<'a> TraceSegment<'a> {
    /// Returns true if an event of this segment may create a message with this id.
    fn creates(&self, id: &str) -> bool {
        self.messages
            .get(id)
            .is_some_and(MessageHistory::is_created)
    }

    /// Removes everything that the snapshot at the end of the segment undoes.
    ///
    /// A snapshot replaces the content of its messages and keeps only their order. Of the other
    /// messages it keeps activities, and reasoning if it contains none itself. Calls live in
    /// messages that it does not keep.
    fn end_with(&mut self, snapshot: &SnapshotTrace<'a>) {
        let kept = |id: &str| snapshot.messages.contains(id);
        let messages = &self.messages;
        self.results.retain(|(_, message)| kept(message));
        // The position of a result depends on the position of its call.
        let anchors = !self.results.is_empty();
        self.creations.retain(|creation| {
            anchors
                || match creation {
                    CreationEvent::Message(id) => {
                        kept(id) || messages.get(id).is_some_and(MessageHistory::may_be_kept)
                    }
                    CreationEvent::Call { id, parent } => kept(id) || parent.is_some_and(kept),
                    CreationEvent::Result { message, .. } => kept(message),
                    CreationEvent::Activity(_) => true,
                }
        });
        self.calls.clear();
        self.messages.retain(|id, history| {
            if kept(id) {
                return false;
            }
            if history.may_be_kept() {
                return true;
            }
            // Only a message that was reasoning before is left.
            history.forget_creators();
            !snapshot.has_reasoning
        });
    }
}

impl<'a> Trace<'a> {
    fn of(events: &'a [Event], order: &[usize]) -> Self {
        let mut tracer = TraceBuilder {
            trace: Self {
                segments: vec![TraceSegment::default()],
                runs: vec![RunTrace::default()],
            },
            present: HashSet::new(),
            present_calls: HashSet::new(),
            activities: HashSet::new(),
            results: HashSet::new(),
        };
        for &index in order {
            tracer.add(index, &events[index]);
        }
        let mut trace = tracer.trace;
        for at in 0..trace.segments.len() {
            let (here, next) = trace.segments.split_at_mut(at + 1);
            for history in here[at].messages.values_mut() {
                history.normalise();
            }
            if let Some(snapshot) = next.first().and_then(|next| next.snapshot.as_ref()) {
                here[at].end_with(snapshot);
            }
        }
        trace
    }
}

/// Builder of a trace.
struct TraceBuilder<'a> {
    trace: Trace<'a>,
    /// Messages that exist for any initial conversation.
    present: HashSet<&'a str>,
    /// Calls that exist for any initial conversation.
    present_calls: HashSet<&'a str>,
    /// Messages that are activities for any initial conversation; text events do not change them.
    activities: HashSet<&'a str>,
    /// Ids of results. A result may precede another message of its id and be found instead of it.
    results: HashSet<&'a str>,
}

impl<'a> TraceBuilder<'a> {
    fn segment(&mut self) -> &mut TraceSegment<'a> {
        // There is always a segment; a divider pushes the next one.
        let last = self.trace.segments.len() - 1;
        &mut self.trace.segments[last]
    }

    fn run(&mut self) -> &mut RunTrace<'a> {
        let last = self.trace.runs.len() - 1;
        &mut self.trace.runs[last]
    }

    fn divide(&mut self, index: usize, snapshot: Option<SnapshotTrace<'a>>) {
        self.trace.segments.push(TraceSegment {
            divider: Some(index),
            snapshot,
            ..TraceSegment::default()
        });
    }

    /// Returns the history that an event which creates nothing belongs to.
    ///
    /// After a snapshot without the message, and before anything creates it again, such an event
    /// finds either nothing or a message that the snapshot has kept, as before the snapshot.
    fn message(&mut self, id: &'a str) -> &mut MessageHistory<'a> {
        let mut at = self.trace.segments.len() - 1;
        while at > 0 {
            let segment = &self.trace.segments[at];
            match &segment.snapshot {
                Some(snapshot) if !snapshot.messages.contains(id) && !segment.creates(id) => {
                    at -= 1;
                }
                _ => break,
            }
        }
        self.trace.segments[at].messages.entry(id).or_default()
    }

    /// Returns the history of a call, unless a snapshot has removed it.
    fn call(&mut self, id: &'a str) -> Option<&mut MessageHistory<'a>> {
        let segment = self.segment();
        let removed = segment.snapshot.as_ref().is_some_and(|snapshot| {
            !snapshot.calls.contains(id) && !segment.calls.contains_key(id)
        });
        (!removed).then(|| segment.calls.entry(id).or_default())
    }

    fn create(&mut self, id: &'a str, creator: MessageCreator<'a>) {
        self.segment()
            .messages
            .entry(id)
            .or_default()
            .create(creator);
    }

    fn append(&mut self, id: &'a str) {
        if self.present.insert(id) {
            let creations = &mut self.segment().creations;
            // The order of a message and its calls is part of its history.
            let is_child = |creation: &&CreationEvent<'_>| matches!(creation, CreationEvent::Call { parent, .. } if *parent == Some(id));
            let calls = creations.iter().rev().take_while(is_child).count();
            creations.insert(creations.len() - calls, CreationEvent::Message(id));
        }
    }

    fn add(&mut self, index: usize, event: &'a Event) {
        let tag = event.common().subagent_run_id.as_deref();
        match event.data() {
            // The start of an existing message only carries metadata, like an end.
            EventData::TextMessageStart(data)
                if self.present.contains(data.message_id.as_str()) =>
            {
                self.end(&data.message_id, index, event);
            }
            EventData::ReasoningMessageStart(data)
                if self.present.contains(data.message_id.as_str()) =>
            {
                self.end(&data.message_id, index, event);
            }
            EventData::TextMessageStart(data) => {
                let plain =
                    matches!(data.role, None | Some(TextRole::Assistant)) && data.name.is_none();
                let creator = if plain {
                    MessageCreator::Plain { start: index, tag }
                } else {
                    MessageCreator::Text(index)
                };
                self.create(&data.message_id, creator);
                self.append(&data.message_id);
            }
            EventData::ReasoningMessageStart(data) => {
                self.create(&data.message_id, MessageCreator::Lasting(index));
                self.append(&data.message_id);
            }
            EventData::TextMessageContent(data) => self.content(&data.message_id, index),
            EventData::ReasoningMessageContent(data) => self.content(&data.message_id, index),
            EventData::TextMessageEnd(data) => self.end(&data.message_id, index, event),
            EventData::ReasoningMessageEnd(data) => self.end(&data.message_id, index, event),
            EventData::ToolCallStart(data) => {
                self.start_call(
                    index,
                    &data.tool_call_id,
                    data.parent_message_id.as_ref(),
                    tag,
                );
            }
            // An end and an empty delta only carry metadata.
            EventData::ToolCallArgs(data)
                if !data.delta.is_empty() || event.common().metadata.is_some() =>
            {
                self.call_delta(&data.tool_call_id, index);
            }
            EventData::ToolCallEnd(data) if event.common().metadata.is_some() => {
                self.call_delta(&data.tool_call_id, index);
            }
            EventData::ToolCallResult(data) => {
                let (call, message) = (data.tool_call_id.as_str(), data.message_id.as_str());
                let anchored = self.present_calls.contains(call);
                self.run().answered.insert(call);
                self.create(message, MessageCreator::Text(index));
                self.present.insert(message);
                self.results.insert(message);
                self.activities.remove(message);
                let segment = self.segment();
                segment.results.push((index, message));
                if !anchored {
                    segment
                        .creations
                        .push(CreationEvent::Result { index, message });
                }
            }
            EventData::ActivitySnapshot(data) => {
                let id = data.message_id.as_str();
                self.segment().activities.entry(id).or_default().push(index);
                if !self.activities.contains(id) {
                    // The activity may replace a message that holds any of the calls.
                    self.present_calls.clear();
                    self.create(id, MessageCreator::Lasting(index));
                    self.append(id);
                    self.segment()
                        .creations
                        .push(CreationEvent::Activity(index));
                }
                if data.replace != Some(false) {
                    self.activities.insert(id);
                }
            }
            EventData::ActivityDelta(data) => {
                let activities = &mut self.segment().activities;
                activities.entry(&data.message_id).or_default().push(index);
            }
            EventData::ReasoningEncryptedValue(data) => match data.subtype {
                EncryptedSubtype::Message => self.message(&data.entity_id).encrypt(index),
                EncryptedSubtype::ToolCall => {
                    if let Some(call) = self.call(&data.entity_id) {
                        call.encrypt(index);
                    }
                }
            },
            EventData::MessagesSnapshot(data) => {
                let snapshot = SnapshotTrace::of(data);
                self.present.clone_from(&snapshot.messages);
                self.present_calls = certain_calls(data);
                self.activities = only_activities(data);
                self.divide(index, Some(snapshot));
            }
            EventData::RunStarted(data) => {
                self.trace.runs.push(RunTrace::default());
                let messages = data.input.iter().flat_map(|input| &input.messages);
                for (at, message) in messages.enumerate() {
                    if at == 0 {
                        self.divide(index, None);
                    }
                    self.present.insert(&message.id);
                }
            }
            EventData::RunFinished(_) => self.trace.runs.push(RunTrace::default()),
            _ => {}
        }
    }

    fn content(&mut self, id: &'a str, index: usize) {
        if !self.activities.contains(id) {
            self.message(id).content(index);
        }
    }

    /// Records the metadata of an end event, which has no other effect.
    fn end(&mut self, id: &'a str, index: usize, event: &Event) {
        if !self.activities.contains(id) && event.common().metadata.is_some() {
            self.message(id).metadata(index);
        }
    }

    fn call_delta(&mut self, id: &'a str, index: usize) {
        if let Some(call) = self.call(id) {
            call.metadata(index);
        }
    }

    fn start_call(
        &mut self,
        index: usize,
        id: &'a str,
        parent: Option<&'a Text>,
        tag: Option<&'a str>,
    ) {
        let run = self.run();
        if run.known.insert(id) {
            run.started.push(id);
        }
        let calls = &mut self.segment().calls;
        calls
            .entry(id)
            .or_default()
            .create(MessageCreator::Text(index));
        // An existing call is renamed and its parent ignored.
        if !self.present_calls.insert(id) {
            return;
        }
        let parent = parent.map(Text::as_str).filter(|parent| !parent.is_empty());
        match parent {
            // The parent that the call finds depends on the results before it.
            Some(parent) if self.results.contains(parent) => {
                self.create(parent, MessageCreator::Text(index));
            }
            // The call creates its parent only if that may be missing.
            Some(parent) if !self.present.contains(parent) => {
                self.create(parent, MessageCreator::Parent { tag });
            }
            _ => {}
        }
        // The call may create a message with its own id.
        self.create(id, MessageCreator::Text(index));
        self.segment()
            .creations
            .push(CreationEvent::Call { id, parent });
    }
}
