//! The ordered list of messages, with lookup by message id and tool call id.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::model::{Message, Role};

/// A place in the transcript; stays valid until the transcript is rebuilt.
pub(super) type Slot = usize;

/// A message, shared with a snapshot until it is changed.
#[derive(Debug)]
enum Stored {
    Own(Box<Message>),
    Shared(Arc<Message>),
}

impl Stored {
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
struct Node {
    message: Stored,
    next: Option<Slot>,
    /// On an assistant message: the last of the tool messages known to follow it directly.
    results_end: Option<Slot>,
}

/// Where the first message or call of an id is.
#[derive(Debug, Clone, Copy)]
enum First<T> {
    At(T),
    /// There are several and it is not known which comes first.
    Unsure,
}

/// Messages in order. Appending, inserting after a message and looking up cost constant time.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    nodes: Vec<Node>,
    head: Option<Slot>,
    tail: Option<Slot>,
    by_id: HashMap<Box<str>, First<Slot>>,
    by_call: HashMap<Box<str>, First<(Slot, usize)>>,
    /// The message found last: deltas come in runs.
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

    /// The message, to change anything but its id and its tool calls' ids.
    pub(super) fn get_mut(&mut self, slot: Slot) -> &mut Message {
        self.nodes[slot].message.get_mut()
    }

    /// The first message with that id.
    #[inline]
    pub(super) fn find(&mut self, id: &str) -> Option<Slot> {
        if let Some(slot) = self.recent
            && self.get(slot).id == id
        {
            return Some(slot);
        }
        let slot = match *self.by_id.get(id)? {
            First::At(slot) => slot,
            First::Unsure => {
                let slot = self.slots().find(|&slot| self.get(slot).id == id)?;
                self.by_id.insert(Box::from(id), First::At(slot));
                slot
            }
        };
        self.recent = Some(slot);
        Some(slot)
    }

    /// The first message that holds that call, and where in its list.
    pub(super) fn find_call(&mut self, call_id: &str) -> Option<(Slot, usize)> {
        match *self.by_call.get(call_id)? {
            First::At(found) => Some(found),
            First::Unsure => {
                let found = self.slots().find_map(|slot| {
                    let calls = self.get(slot).tool_calls();
                    let at = calls.iter().position(|call| call.id == call_id)?;
                    Some((slot, at))
                })?;
                self.by_call.insert(Box::from(call_id), First::At(found));
                Some(found)
            }
        }
    }

    pub(super) fn append(&mut self, message: Message) -> Slot {
        let slot = self.add(Stored::Own(Box::new(message)));
        self.link_last(slot);
        slot
    }

    /// Notes a call that was added at the end of a message's list.
    pub(super) fn index_call(&mut self, call_id: &str, slot: Slot, at: usize) {
        let first = match self.by_call.get(call_id) {
            Some(_) => First::Unsure,
            None => First::At((slot, at)),
        };
        self.by_call.insert(Box::from(call_id), first);
    }

    /// Puts a tool result after the message that made the call and the results that follow it.
    pub(super) fn insert_result(&mut self, owner: Slot, message: Message) {
        let mut after = self.nodes[owner].results_end.unwrap_or(owner);
        while let Some(next) = self.nodes[after].next
            && self.get(next).role == Role::Tool
        {
            after = next;
        }
        let slot = self.add(Stored::Own(Box::new(message)));
        self.nodes[slot].next = self.nodes[after].next;
        self.nodes[after].next = Some(slot);
        if self.tail == Some(after) {
            self.tail = Some(slot);
        }
        self.nodes[owner].results_end = Some(slot);
    }

    /// Puts another message, with the same id, in the place of one.
    pub(super) fn replace(&mut self, slot: Slot, message: Message) {
        let had_calls = !self.get(slot).tool_calls().is_empty();
        if self.get(slot).role == Role::Tool {
            // It may have stood between a call and later results.
            for node in &mut self.nodes {
                node.results_end = None;
            }
        }
        self.nodes[slot].message = Stored::Own(Box::new(message));
        if had_calls {
            self.reindex_calls();
        }
    }

    fn add(&mut self, message: Stored) -> Slot {
        let slot = self.nodes.len();
        let id = message.get().id.as_str();
        match self.by_id.get_mut(id) {
            // Both a new first and a later one are possible; look when somebody asks.
            Some(first) => {
                *first = First::Unsure;
                self.recent = None;
            }
            None => {
                self.by_id.insert(Box::from(id), First::At(slot));
            }
        }
        self.nodes.push(Node {
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
                    .or_insert(First::At((slot, at)));
            }
        }
    }

    /// Takes the messages of a snapshot: those known stay in their places, those that `keep` names
    /// stay as they are, the rest goes, and new ones follow at the end.
    pub(super) fn merge(&mut self, snapshot: &[Arc<Message>], keep: impl Fn(&Message) -> bool) {
        let repeated = self.repeated_by(snapshot);
        if let Some(known) = repeated {
            let new = &snapshot[known..];
            if new
                .iter()
                .all(|message| !self.by_id.contains_key(message.id.as_str()))
            {
                for message in new {
                    let slot = self.add(Stored::Shared(Arc::clone(message)));
                    self.link_last(slot);
                }
                return;
            }
        }
        // On a repeated id the last version counts for known messages.
        let latest: HashMap<&str, &Arc<Message>> = snapshot
            .iter()
            .map(|message| (message.id.as_str(), message))
            .collect();
        let mut merged = Self::default();
        let order: Vec<Slot> = self.slots().collect();
        let mut nodes: Vec<Option<Node>> = self.nodes.drain(..).map(Some).collect();
        for node in order.into_iter().filter_map(|slot| nodes[slot].take()) {
            let message = match latest.get(node.message.get().id.as_str()) {
                Some(message) => Stored::Shared(Arc::clone(message)),
                None if keep(node.message.get()) => node.message,
                None => continue,
            };
            let slot = merged.add(message);
            merged.link_last(slot);
        }
        let known = merged.nodes.len();
        for message in snapshot {
            let present = match merged.by_id.get(message.id.as_str()) {
                // Duplicates among the new ones are all kept.
                Some(First::At(slot)) => *slot < known,
                Some(First::Unsure) => merged.nodes[..known]
                    .iter()
                    .any(|node| node.message.get().id == message.id),
                None => false,
            };
            if !present {
                let slot = merged.add(Stored::Shared(Arc::clone(message)));
                merged.link_last(slot);
            }
        }
        *self = merged;
    }

    /// How many messages of the snapshot repeat this transcript, if it begins with all of it.
    fn repeated_by(&self, snapshot: &[Arc<Message>]) -> Option<usize> {
        let mut known = 0;
        for slot in self.slots() {
            match (&self.nodes[slot].message, snapshot.get(known)) {
                (Stored::Shared(mine), Some(theirs)) if Arc::ptr_eq(mine, theirs) => known += 1,
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
