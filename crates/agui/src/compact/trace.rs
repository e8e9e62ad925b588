//! Whether two orders of the same events fold alike, whatever the messages were before.
//!
//! A trace keeps of an order only what the fold can tell: in which order messages may be created,
//! and for each message and call what happens to it in which order. Equal traces fold alike.
//! What brings messages of its own, a snapshot or a run's input, divides a trace; nothing may move
//! across but what a snapshot undoes.

use hashbrown::{HashMap, HashSet};

use super::history::{Creator, History};
use crate::event::{EncryptedSubtype, Event, EventData, MessagesSnapshot, TextRole};
use crate::json::Text;
use crate::model::Role;

/// Whether applying the events in this order folds to the same as in their own.
pub(super) fn same_fold(events: &[Event], order: &[usize]) -> bool {
    let own: Vec<usize> = (0..events.len()).collect();
    Trace::of(events, &own) == Trace::of(events, order)
}

#[derive(Debug, Default, PartialEq)]
struct Trace<'a> {
    segments: Vec<Segment<'a>>,
    runs: Vec<Run<'a>>,
}

/// What decides which calls are pending when a run ends.
#[derive(Debug, Default, PartialEq)]
struct Run<'a> {
    /// In the order they were first started.
    started: Vec<&'a str>,
    known: HashSet<&'a str>,
    answered: HashSet<&'a str>,
}

/// The part of a trace between two dividers.
#[derive(Debug, Default, PartialEq)]
struct Segment<'a> {
    divider: Option<usize>,
    /// What the divider says, if it is a snapshot.
    snapshot: Option<Snapshot<'a>>,
    /// What may append a message, in order.
    creations: Vec<Creation<'a>>,
    /// Tool results: the events and the messages they make, in order.
    results: Vec<(usize, &'a str)>,
    messages: HashMap<&'a str, History<'a>>,
    calls: HashMap<&'a str, History<'a>>,
    /// What happens to each message as an activity; text and activity leave each other alone.
    activities: HashMap<&'a str, Vec<usize>>,
}

#[derive(Debug, PartialEq)]
struct Snapshot<'a> {
    messages: HashSet<&'a str>,
    calls: HashSet<&'a str>,
    has_reasoning: bool,
}

#[derive(Debug, PartialEq)]
enum Creation<'a> {
    Message(&'a str),
    Call {
        id: &'a str,
        parent: Option<&'a str>,
    },
    /// A result whose call is not known to be there.
    Result {
        index: usize,
        message: &'a str,
    },
    /// An activity may take the place of a message that holds calls.
    Activity(usize),
}

impl<'a> Snapshot<'a> {
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

/// The calls that are there after a snapshot: of two messages of one id only the last may be taken.
fn certain_calls(data: &MessagesSnapshot) -> HashSet<&str> {
    let mut seen = HashSet::new();
    let latest = data.messages.iter().rev();
    latest
        .filter(|message| seen.insert(message.id.as_str()))
        .flat_map(|message| message.tool_calls())
        .map(|call| call.id.as_str())
        .collect()
}

/// The ids of which a snapshot has activities alone.
fn only_activities(data: &MessagesSnapshot) -> HashSet<&str> {
    let ids = |activities: bool| {
        let messages = data.messages.iter();
        let kind = messages.filter(move |message| (message.role == Role::Activity) == activities);
        kind.map(|message| message.id.as_str())
    };
    let others: HashSet<&str> = ids(false).collect();
    ids(true).filter(|id| !others.contains(id)).collect()
}

impl<'a> Segment<'a> {
    /// Whether something here may create a message of that id.
    fn creates(&self, id: &str) -> bool {
        self.messages.get(id).is_some_and(History::is_created)
    }

    /// Forgets what the snapshot at the end of the segment undoes.
    ///
    /// It gives the messages it has their content and keeps only their order; of the others it keeps
    /// activities, and reasoning if it has none itself. Calls live in messages it does not keep.
    fn end_with(&mut self, snapshot: &Snapshot<'a>) {
        let kept = |id: &str| snapshot.messages.contains(id);
        let messages = &self.messages;
        self.results.retain(|(_, message)| kept(message));
        // Where a result goes depends on where its call is.
        let anchors = !self.results.is_empty();
        self.creations.retain(|creation| {
            anchors
                || match creation {
                    Creation::Message(id) => {
                        kept(id) || messages.get(id).is_some_and(History::may_be_kept)
                    }
                    Creation::Call { id, parent } => kept(id) || parent.is_some_and(kept),
                    Creation::Result { message, .. } => kept(message),
                    Creation::Activity(_) => true,
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
        let mut tracer = Tracer {
            trace: Self {
                segments: vec![Segment::default()],
                runs: vec![Run::default()],
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

/// Builds a trace.
struct Tracer<'a> {
    trace: Trace<'a>,
    /// Messages that are there, whatever was there before.
    present: HashSet<&'a str>,
    /// Calls that are there.
    present_calls: HashSet<&'a str>,
    /// Messages that are activities, whatever was there before: text leaves them alone.
    activities: HashSet<&'a str>,
    /// Ids of results, which may stand before another message of their id and be found instead.
    results: HashSet<&'a str>,
}

impl<'a> Tracer<'a> {
    fn segment(&mut self) -> &mut Segment<'a> {
        // There is always one; a divider pushes the next.
        let last = self.trace.segments.len() - 1;
        &mut self.trace.segments[last]
    }

    fn run(&mut self) -> &mut Run<'a> {
        let last = self.trace.runs.len() - 1;
        &mut self.trace.runs[last]
    }

    fn divide(&mut self, index: usize, snapshot: Option<Snapshot<'a>>) {
        self.trace.segments.push(Segment {
            divider: Some(index),
            snapshot,
            ..Segment::default()
        });
    }

    /// The history of a message that an event which creates nothing belongs to.
    ///
    /// After a snapshot without the message, and before anything creates it again, such an event
    /// either finds nothing or what the snapshot has spared: as before the snapshot.
    fn message(&mut self, id: &'a str) -> &mut History<'a> {
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

    /// The history of a call, unless a snapshot has removed it.
    fn call(&mut self, id: &'a str) -> Option<&mut History<'a>> {
        let segment = self.segment();
        let removed = segment.snapshot.as_ref().is_some_and(|snapshot| {
            !snapshot.calls.contains(id) && !segment.calls.contains_key(id)
        });
        (!removed).then(|| segment.calls.entry(id).or_default())
    }

    fn create(&mut self, id: &'a str, creator: Creator<'a>) {
        self.segment()
            .messages
            .entry(id)
            .or_default()
            .create(creator);
    }

    fn append(&mut self, id: &'a str) {
        if self.present.insert(id) {
            let creations = &mut self.segment().creations;
            // The order of a message and the calls that name it as their parent is in its history.
            let is_child = |creation: &&Creation<'_>| matches!(creation, Creation::Call { parent, .. } if *parent == Some(id));
            let calls = creations.iter().rev().take_while(is_child).count();
            creations.insert(creations.len() - calls, Creation::Message(id));
        }
    }

    fn add(&mut self, index: usize, event: &'a Event) {
        let tag = event.common().subagent_run_id.as_deref();
        match event.data() {
            // The start of what is there says nothing but its metadata, like an end.
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
                    Creator::Plain { start: index, tag }
                } else {
                    Creator::Text(index)
                };
                self.create(&data.message_id, creator);
                self.append(&data.message_id);
            }
            EventData::ReasoningMessageStart(data) => {
                self.create(&data.message_id, Creator::Lasting(index));
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
            // An end says nothing but its metadata, nor does an empty delta.
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
                self.create(message, Creator::Text(index));
                self.present.insert(message);
                self.results.insert(message);
                self.activities.remove(message);
                let segment = self.segment();
                segment.results.push((index, message));
                if !anchored {
                    segment.creations.push(Creation::Result { index, message });
                }
            }
            EventData::ActivitySnapshot(data) => {
                let id = data.message_id.as_str();
                self.segment().activities.entry(id).or_default().push(index);
                if !self.activities.contains(id) {
                    // It may take the place of a message that holds any of the calls.
                    self.present_calls.clear();
                    self.create(id, Creator::Lasting(index));
                    self.append(id);
                    self.segment().creations.push(Creation::Activity(index));
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
                let snapshot = Snapshot::of(data);
                self.present.clone_from(&snapshot.messages);
                self.present_calls = certain_calls(data);
                self.activities = only_activities(data);
                self.divide(index, Some(snapshot));
            }
            EventData::RunStarted(data) => {
                self.trace.runs.push(Run::default());
                let messages = data.input.iter().flat_map(|input| &input.messages);
                for (at, message) in messages.enumerate() {
                    if at == 0 {
                        self.divide(index, None);
                    }
                    self.present.insert(&message.id);
                }
            }
            EventData::RunFinished(_) => self.trace.runs.push(Run::default()),
            _ => {}
        }
    }

    fn content(&mut self, id: &'a str, index: usize) {
        if !self.activities.contains(id) {
            self.message(id).content(index);
        }
    }

    /// An end says nothing but its metadata.
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
        calls.entry(id).or_default().create(Creator::Text(index));
        // A call that is there is renamed, and its parent ignored.
        if !self.present_calls.insert(id) {
            return;
        }
        let parent = parent.map(Text::as_str).filter(|parent| !parent.is_empty());
        match parent {
            // Which message it finds depends on the results before it.
            Some(parent) if self.results.contains(parent) => {
                self.create(parent, Creator::Text(index));
            }
            // It creates the message it names only where that may be missing.
            Some(parent) if !self.present.contains(parent) => {
                self.create(parent, Creator::Parent { tag });
            }
            _ => {}
        }
        // It may create a message of its own id.
        self.create(id, Creator::Text(index));
        self.segment().creations.push(Creation::Call { id, parent });
    }
}
