//! Ordered list of messages with lookup by message id and tool call id.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::model::{Message, Role};

/// Index of a message in the transcript; valid until the transcript is rebuilt.
pub(super) type Slot = usize;

/// Message, shared with a snapshot until it is changed.
#[derive(Debug)]
enum StoredEntry {
    Own(Box<Message>),
    Shared(Arc<Message>),
}

impl StoredEntry {
    fn get(&self) -> &Message {
        match self {
            Self::Own(message) => message,
            Self::Shared(message) => message,
        }
    }

    fn get_mut(&mut self) -> &mut Message {
        if let Self::Shared(message) = self {
            *self = Self::Own(Box::new(Message::clone(message)));
        }
        match self {
            Self::Own(message) => message,
            Self::Shared(_) => unreachable!("made its own above"),
        }
    }
}

#[derive(Debug)]
struct TranscriptNode {
    message: StoredEntry,
    next: Option<Slot>,
    /// On an assistant message, the last of the tool messages known to follow it directly.
    results_end: Option<Slot>,
}

/// Position of the first message or call with an id.
#[derive(Debug, Clone, Copy)]
enum FirstOccurrence<T> {
    At(T),
    /// Several exist; the first has not been determined yet.
    Unsure,
}

/// Messages in order. Appending, inserting after a message and lookup take constant time.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    nodes: Vec<TranscriptNode>,
    head: Option<Slot>,
    tail: Option<Slot>,
    by_id: HashMap<Box<str>, FirstOccurrence<Slot>>,
    by_call: HashMap<Box<str>, FirstOccurrence<(Slot, usize)>>,
    /// Message of the last lookup, because consecutive deltas extend the same message.
    recent: Option<Slot>,
}

impl Transcript {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Message> {
        self.slots().map(|slot| self.get(slot))
    }

    fn slots(&self) -> impl Iterator<Item = Slot> {
        std::iter::successors(self.head, |&slot| self.nodes[slot].next)
    }

    pub(super) fn get(&self, slot: Slot) -> &Message {
        self.nodes[slot].message.get()
    }

    /// Returns the message for changes. Its id and the ids of its tool calls must stay.
    pub(super) fn get_mut(&mut self, slot: Slot) -> &mut Message {
        self.nodes[slot].message.get_mut()
    }

    /// Returns the first message with this id.
    #[inline]
    pub(super) fn find(&mut self, id: &str) -> Option<Slot> {
        if let Some(slot) = self.recent
            && self.get(slot).id == id
        {
            return Some(slot);
        }
        let slot = match *self.by_id.get(id)? {
            FirstOccurrence::At(slot) => slot,
            FirstOccurrence::Unsure => {
                let slot = self.slots().find(|&slot| self.get(slot).id == id)?;
                self.by_id.insert(Box::from(id), FirstOccurrence::At(slot));
                slot
            }
        };
        self.recent = Some(slot);
        Some(slot)
    }

    /// Returns the first message that holds this call, and the index in its list.
    pub(super) fn find_call(&mut self, call_id: &str) -> Option<(Slot, usize)> {
        match *self.by_call.get(call_id)? {
            FirstOccurrence::At(found) => Some(found),
            FirstOccurrence::Unsure => {
                let found = self.slots().find_map(|slot| {
                    let calls = self.get(slot).tool_calls();
                    let at = calls.iter().position(|call| call.id == call_id)?;
                    Some((slot, at))
                })?;
                self.by_call
                    .insert(Box::from(call_id), FirstOccurrence::At(found));
                Some(found)
            }
        }
    }

    pub(super) fn append(&mut self, message: Message) -> Slot {
        let slot = self.add(StoredEntry::Own(Box::new(message)));
        self.link_last(slot);
        slot
    }

    /// Indexes a call that was appended to a message's list.
    pub(super) fn index_call(&mut self, call_id: &str, slot: Slot, at: usize) {
        let first = match self.by_call.get(call_id) {
            Some(_) => FirstOccurrence::Unsure,
            None => FirstOccurrence::At((slot, at)),
        };
        self.by_call.insert(Box::from(call_id), first);
    }

    /// Inserts a tool result after the message that made the call and the results that follow it.
    pub(super) fn insert_result(&mut self, owner: Slot, message: Message) {
        let mut after = self.nodes[owner].results_end.unwrap_or(owner);
        while let Some(next) = self.nodes[after].next
            && self.get(next).role == Role::Tool
        {
            after = next;
        }
        let slot = self.add(StoredEntry::Own(Box::new(message)));
        self.nodes[slot].next = self.nodes[after].next;
        self.nodes[after].next = Some(slot);
        if self.tail == Some(after) {
            self.tail = Some(slot);
        }
        self.nodes[owner].results_end = Some(slot);
    }

    /// Replaces a message by another one with the same id.
    pub(super) fn replace(&mut self, slot: Slot, message: Message) {
        let had_calls = !self.get(slot).tool_calls().is_empty();
        if self.get(slot).role == Role::Tool {
            // The old message may have been between a call and later results.
            for node in &mut self.nodes {
                node.results_end = None;
            }
        }
        self.nodes[slot].message = StoredEntry::Own(Box::new(message));
        if had_calls {
            self.reindex_calls();
        }
    }

    fn add(&mut self, message: StoredEntry) -> Slot {
        let slot = self.nodes.len();
        let id = message.get().id.as_str();
        match self.by_id.get_mut(id) {
            // The new message may precede the known one; the next lookup determines the first.
            Some(first) => {
                *first = FirstOccurrence::Unsure;
                self.recent = None;
            }
            None => {
                self.by_id.insert(Box::from(id), FirstOccurrence::At(slot));
            }
        }
        self.nodes.push(TranscriptNode {
            message,
            next: None,
            results_end: None,
        });
        slot
    }

    fn link_last(&mut self, slot: Slot) {
        match self.tail {
            Some(tail) => self.nodes[tail].next = Some(slot),
            None => self.head = Some(slot),
        }
        self.tail = Some(slot);
        for at in 0..self.get(slot).tool_calls().len() {
            let call_id = self.get(slot).tool_calls()[at].id.clone();
            self.index_call(&call_id, slot, at);
        }
    }

    fn reindex_calls(&mut self) {
        self.by_call.clear();
        let slots: Vec<Slot> = self.slots().collect();
        for slot in slots {
            for at in 0..self.get(slot).tool_calls().len() {
                let call_id = self.get(slot).tool_calls()[at].id.clone();
                self.by_call
                    .entry(call_id.into_boxed_str())
                    .or_insert(FirstOccurrence::At((slot, at)));
            }
        }
    }

    /// Merges the messages of a snapshot: known messages keep their places, other messages stay if
    /// `keep` returns true and are removed otherwise, and new ones are appended.
    pub(super) fn merge(&mut self, snapshot: &[Arc<Message>], keep: impl Fn(&Message) -> bool) {
        let repeated = self.repeated_by(snapshot);
        if let Some(known) = repeated {
            let new = &snapshot[known..];
            if new
                .iter()
                .all(|message| !self.by_id.contains_key(message.id.as_str()))
            {
                for message in new {
                    let slot = self.add(StoredEntry::Shared(Arc::clone(message)));
                    self.link_last(slot);
                }
                return;
            }
        }
        // If the snapshot repeats an id, its last version replaces a known message.
        let latest: HashMap<&str, &Arc<Message>> = snapshot
            .iter()
            .map(|message| (message.id.as_str(), message))
            .collect();
        let mut merged = Self::default();
        let order: Vec<Slot> = self.slots().collect();
        let mut nodes: Vec<Option<TranscriptNode>> = self.nodes.drain(..).map(Some).collect();
        for node in order.into_iter().filter_map(|slot| nodes[slot].take()) {
            let message = match latest.get(node.message.get().id.as_str()) {
                Some(message) => StoredEntry::Shared(Arc::clone(message)),
                None if keep(node.message.get()) => node.message,
                None => continue,
            };
            let slot = merged.add(message);
            merged.link_last(slot);
        }
        let known = merged.nodes.len();
        for message in snapshot {
            let present = match merged.by_id.get(message.id.as_str()) {
                // Duplicates among the new messages are all kept.
                Some(FirstOccurrence::At(slot)) => *slot < known,
                Some(FirstOccurrence::Unsure) => merged.nodes[..known]
                    .iter()
                    .any(|node| node.message.get().id == message.id),
                None => false,
            };
            if !present {
                let slot = merged.add(StoredEntry::Shared(Arc::clone(message)));
                merged.link_last(slot);
            }
        }
        *self = merged;
    }

    /// Returns the number of leading messages of the snapshot that repeat this transcript, if it
    /// repeats the whole transcript.
    fn repeated_by(&self, snapshot: &[Arc<Message>]) -> Option<usize> {
        let mut known = 0;
        for slot in self.slots() {
            match (&self.nodes[slot].message, snapshot.get(known)) {
                (StoredEntry::Shared(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => {
                    known += 1;
                }
                _ => return None,
            }
        }
        let mut ids = hashbrown::HashSet::new();
        snapshot[known..]
            .iter()
            .all(|message| ids.insert(message.id.as_str()))
            .then_some(known)
    }
}
