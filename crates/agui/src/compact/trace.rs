//! Whether two orders of the same events fold alike, whatever the messages were before.
//!
//! A trace keeps of an order only what the fold can tell: in which order messages may be created,
//! and for each message and call what happens to it in which order. Equal traces fold alike.
//! Runs and messages snapshots divide a trace; nothing may move across them but what they undo.

use hashbrown::{HashMap, HashSet};

use crate::event::{Event, EventData, TextRole};
use crate::json::Text;

/// Whether applying the events in this order folds to the same as in their own.
pub(super) fn same_fold(events: &[Event], order: &[usize]) -> bool {
    let own: Vec<usize> = (0..events.len()).collect();
    Trace::of(events, &own) == Trace::of(events, order)
}

#[derive(Debug, Default, PartialEq)]
struct Trace<'a> {
    segments: Vec<Segment<'a>>,
}

/// The part of a trace between two dividers.
#[derive(Debug, Default, PartialEq)]
struct Segment<'a> {
    /// The event that begins it.
    divider: Option<usize>,
    /// What may append a message, in order.
    creations: Vec<Creation<'a>>,
    /// Tool results, in order.
    results: Vec<usize>,
    messages: HashMap<&'a str, History<'a>>,
    calls: HashMap<&'a str, History<'a>>,
}

#[derive(Debug, PartialEq)]
enum Creation<'a> {
    Message(&'a str),
    Call { id: &'a str, parent: Option<&'a str> },
    /// A result whose call is not known to be there.
    Result(usize),
}

/// What happens to one message or call.
#[derive(Debug, Default, PartialEq)]
struct History<'a> {
    /// What happens before anything here creates it.
    before: Phase,
    phases: Vec<(Creator<'a>, Phase)>,
}

/// What happens between two creators; the two lists do not affect each other.
#[derive(Debug, Default, PartialEq, Clone)]
struct Phase {
    deltas: Vec<usize>,
    encrypted: Vec<usize>,
}

/// What may create a message, or decides what it is.
#[derive(Debug, PartialEq, Clone, Copy)]
enum Creator<'a> {
    /// The event with that index.
    Event(usize),
    /// The start of a plain assistant message.
    Plain { start: usize, tag: Option<&'a str> },
    /// A call that names it as its parent.
    Parent { tag: Option<&'a str> },
}

impl<'a> History<'a> {
    fn last(&mut self) -> &mut Phase {
        match self.phases.last_mut() {
            Some((_, phase)) => phase,
            None => &mut self.before,
        }
    }

    /// Forgets in which order a message was started and named as a parent, where it is the same.
    ///
    /// A call that names a missing message creates it as an assistant message without content. So
    /// does the start of a plain assistant message of the same subagent, once text follows.
    fn normalise(&mut self) {
        let tags: HashSet<Option<&str>> = self
            .phases
            .iter()
            .map(|(creator, _)| match creator {
                Creator::Plain { tag, .. } | Creator::Parent { tag } => *tag,
                // Never equal to a tag: an event that is neither keeps the order.
                Creator::Event(_) => Some("\0"),
            })
            .collect();
        let plain = |(creator, _): &&(Creator<'_>, Phase)| matches!(creator, Creator::Plain { .. });
        let uniform = tags.len() == 1 && !tags.contains(&Some("\0"));
        let started = self.phases.iter().find(plain).is_some();
        let encrypted = self.phases.iter().any(|(_, phase)| !phase.encrypted.is_empty())
            || !self.before.encrypted.is_empty();
        let text = self.phases.iter().any(|(_, phase)| phase.deltas.len() > 1);
        if !uniform || encrypted || (started && !text) {
            return;
        }
        let mut merged: Vec<(Creator<'a>, Phase)> = Vec::new();
        for (creator, phase) in std::mem::take(&mut self.phases) {
            match (creator, merged.last_mut()) {
                (Creator::Parent { .. }, Some((_, last))) => last.deltas.extend(phase.deltas),
                (Creator::Parent { .. }, None) if started => {
                    self.before.deltas.extend(phase.deltas);
                }
                _ => merged.push((creator, phase)),
            }
        }
        self.phases = merged;
    }
}

/// Builds a trace.
struct Tracer<'a> {
    trace: Trace<'a>,
    /// Messages that are there, whatever was there before.
    present: HashSet<&'a str>,
    /// Calls that are there.
    present_calls: HashSet<&'a str>,
    /// What the snapshot that began the segment contains, if one did.
    snapshot: Option<(HashSet<&'a str>, HashSet<&'a str>)>,
}

impl<'a> Trace<'a> {
    fn of(events: &'a [Event], order: &[usize]) -> Self {
        let mut tracer = Tracer {
            trace: Self {
                segments: vec![Segment::default()],
            },
            present: HashSet::new(),
            present_calls: HashSet::new(),
            snapshot: None,
        };
        for &index in order {
            tracer.add(index, &events[index]);
        }
        for segment in &mut tracer.trace.segments {
            for history in segment.messages.values_mut() {
                history.normalise();
            }
        }
        tracer.trace
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Message,
    Call,
}

impl<'a> Tracer<'a> {
    fn segment(&mut self) -> &mut Segment<'a> {
        // There is always one; a divider pushes the next.
        let last = self.trace.segments.len() - 1;
        &mut self.trace.segments[last]
    }

    fn divide(&mut self, index: usize) {
        self.trace.segments.push(Segment {
            divider: Some(index),
            ..Segment::default()
        });
    }

    /// The history that an event which creates nothing belongs to.
    ///
    /// After a snapshot without the message, and before anything creates it again, such an event
    /// either finds nothing or what the snapshot has spared: as before the snapshot.
    fn history(&mut self, kind: Kind, id: &'a str) -> &mut History<'a> {
        let mut at = self.trace.segments.len() - 1;
        if let Some((messages, calls)) = &self.snapshot
            && at > 0
        {
            let segment = &self.trace.segments[at];
            let (kept, created) = match kind {
                Kind::Message => (messages.contains(id), segment.messages.get(id)),
                Kind::Call => (calls.contains(id), segment.calls.get(id)),
            };
            let call_named_so = segment
                .creations
                .iter()
                .any(|creation| matches!(creation, Creation::Call { id: call, .. } if *call == id));
            let created = created.is_some_and(|history| !history.phases.is_empty());
            if !kept && !created && !call_named_so {
                at -= 1;
            }
        }
        let segment = &mut self.trace.segments[at];
        match kind {
            Kind::Message => segment.messages.entry(id).or_default(),
            Kind::Call => segment.calls.entry(id).or_default(),
        }
    }

    fn create(&mut self, id: &'a str, creator: Creator<'a>) {
        let history = self.segment().messages.entry(id).or_default();
        history.phases.push((creator, Phase::default()));
    }

    fn append(&mut self, id: &'a str) {
        if self.present.insert(id) {
            let creations = &mut self.segment().creations;
            // The order of a message and the calls that name it as their parent is in its history.
            let calls = creations
                .iter()
                .rev()
                .take_while(
                    |creation| matches!(creation, Creation::Call { parent, .. } if *parent == Some(id)),
                )
                .count();
            creations.insert(creations.len() - calls, Creation::Message(id));
        }
    }

    fn add(&mut self, index: usize, event: &'a Event) {
        let tag = event.common().subagent_run_id.as_deref();
        match event.data() {
            EventData::TextMessageStart(data) => {
                let plain = matches!(data.role, None | Some(TextRole::Assistant)) && data.name.is_none();
                let creator = if plain {
                    Creator::Plain { start: index, tag }
                } else {
                    Creator::Event(index)
                };
                self.create(&data.message_id, creator);
                self.append(&data.message_id);
            }
            EventData::ReasoningMessageStart(data) => {
                self.create(&data.message_id, Creator::Event(index));
                self.append(&data.message_id);
            }
            EventData::TextMessageContent(data) => self.delta(Kind::Message, &data.message_id, index),
            EventData::TextMessageEnd(data) => self.delta(Kind::Message, &data.message_id, index),
            EventData::ReasoningMessageContent(data) => {
                self.delta(Kind::Message, &data.message_id, index);
            }
            EventData::ReasoningMessageEnd(data) => self.delta(Kind::Message, &data.message_id, index),
            EventData::ToolCallStart(data) => {
                self.call(index, &data.tool_call_id, data.parent_message_id.as_ref(), tag);
            }
            EventData::ToolCallArgs(data) => self.delta(Kind::Call, &data.tool_call_id, index),
            EventData::ToolCallEnd(data) => self.delta(Kind::Call, &data.tool_call_id, index),
            EventData::ToolCallResult(data) => {
                let anchored = self.present_calls.contains(data.tool_call_id.as_str());
                self.create(&data.message_id, Creator::Event(index));
                let segment = self.segment();
                segment.results.push(index);
                if !anchored {
                    segment.creations.push(Creation::Result(index));
                }
            }
            EventData::ActivitySnapshot(data) => {
                self.create(&data.message_id, Creator::Event(index));
                self.append(&data.message_id);
                // It may replace a message that holds calls.
                self.segment().creations.push(Creation::Result(index));
            }
            EventData::ActivityDelta(data) => {
                self.create(&data.message_id, Creator::Event(index));
            }
            EventData::ReasoningEncryptedValue(data) => {
                let kind = match data.subtype {
                    crate::event::EncryptedSubtype::ToolCall => Kind::Call,
                    crate::event::EncryptedSubtype::Message => Kind::Message,
                };
                self.history(kind, &data.entity_id).last().encrypted.push(index);
            }
            EventData::MessagesSnapshot(data) => {
                self.divide(index);
                let messages: HashSet<&str> =
                    data.messages.iter().map(|message| message.id.as_str()).collect();
                let calls: HashSet<&str> = data
                    .messages
                    .iter()
                    .flat_map(|message| message.tool_calls())
                    .map(|call| call.id.as_str())
                    .collect();
                self.present.clone_from(&messages);
                self.present_calls.clone_from(&calls);
                self.snapshot = Some((messages, calls));
            }
            EventData::RunStarted(_) | EventData::RunFinished(_) | EventData::RunError(_) => {
                self.divide(index);
                self.snapshot = None;
            }
            _ => {}
        }
    }

    fn delta(&mut self, kind: Kind, id: &'a str, index: usize) {
        self.history(kind, id).last().deltas.push(index);
    }

    fn call(&mut self, index: usize, id: &'a str, parent: Option<&'a Text>, tag: Option<&'a str>) {
        let parent = parent.map(Text::as_str).filter(|parent| !parent.is_empty());
        // It creates the message it names only where that may be missing.
        if let Some(parent) = parent.filter(|parent| !self.present.contains(parent)) {
            self.create(parent, Creator::Parent { tag });
        }
        let segment = self.segment();
        let history = segment.calls.entry(id).or_default();
        history.phases.push((Creator::Event(index), Phase::default()));
        // It may create a message of its own id.
        let message = segment.messages.entry(id).or_default();
        message.phases.push((Creator::Event(index), Phase::default()));
        segment.creations.push(Creation::Call { id, parent });
        self.present_calls.insert(id);
    }
}
