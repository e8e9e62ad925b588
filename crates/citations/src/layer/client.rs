//! The state that the client has at this moment, and how our part of it is written.
//!
//! What others wrote is followed event by event, as the client follows it; what we wrote is what the
//! ledger says. So every patch is made for the state it will meet.

use agui::json::{Json, Map, Value};
use agui::patch::{Mode, Operation, Patcher, escape};

use super::host::Options;
use super::ledger::{Ledger, is_safe};
use super::recall::{is_our_bridge, is_our_rag};
use crate::key::Key;
use crate::project::{Change, Form};

/// A projection and whether it is in the client's state.
#[derive(Debug, Clone)]
struct Slot {
    form: Form,
    key: String,
    /// The pointer to it.
    root: String,
    /// Whether it is written at all: it is not if it is switched off, or if the agent uses the key.
    active: bool,
    /// Whether the client has exactly what the ledger says.
    written: bool,
    /// Whether something of somebody else stands there that must not stay, even if we have nothing to say.
    occupied: bool,
}

/// The state the client has.
pub(crate) struct Client {
    /// All but what we write; `null` if there is no state.
    theirs: Json,
    slots: [Slot; 3],
    patcher: Patcher,
}

/// The parts of a state that can be ours.
fn slots(options: &Options) -> [Slot; 3] {
    Form::ALL.map(|form| {
        let (key, on) = match form {
            Form::Deep => (options.key.as_str(), options.deep),
            Form::Bridge => ("citations", options.bridge),
            Form::Rag => ("rag", options.rag),
        };
        // A key that is configured to be that of another projection has it alone.
        let taken = form != Form::Deep && options.deep && options.key == key;
        Slot {
            form,
            key: key.to_owned(),
            root: format!("/{}", escape(key)),
            active: on && !taken && is_safe(key),
            written: false,
            occupied: false,
        }
    })
}

impl Client {
    /// A client that sends this state, on a thread of which that state is stored; and what is known of
    /// the thread.
    ///
    /// Under our keys the stored state counts, elsewhere what the client sends.
    pub(crate) fn new(
        sent: Option<&Json>,
        stored: Option<&Json>,
        options: &Options,
    ) -> (Self, Ledger, Vec<(Key, Json)>) {
        let mut client = Self {
            theirs: Json::from(Value::Null),
            slots: slots(options),
            patcher: Patcher::new(Mode::Agui),
        };
        let mut sent = sent.map_or(Value::Null, |sent| sent.value().into_owned());
        let stored = stored.map(|stored| stored.value().into_owned());
        let base = stored.as_ref().unwrap_or(&sent);
        let rag = base.get("rag").filter(|rag| is_our_rag(rag));
        let bridge = base.get("citations").filter(|lists| is_our_bridge(lists));
        let mut ledger = Ledger::recall(base.get(&options.key), bridge, rag, options.names);
        let reviews = match (&stored, sent.get(&options.key)) {
            (Some(_), Some(deep)) => ledger.take_reviews(deep),
            _ => ledger.reviews.clone(),
        };
        if let Some(map) = sent.as_object_mut() {
            for slot in client.slots.iter_mut().filter(|slot| slot.active) {
                slot.adopt(map, &ledger);
            }
        }
        client.theirs = Json::from(sent);
        (client, ledger, reviews)
    }

    /// A stored state, to be amended.
    pub(crate) fn stored(state: &Json, options: &Options) -> (Self, Ledger) {
        let (client, ledger, _) = Self::new(Some(state), None, options);
        (client, ledger)
    }

    /// The state without what is ours.
    pub(crate) fn theirs(&self) -> &Json {
        &self.theirs
    }

    /// The state without what is ours, as an agent may see it.
    pub(crate) fn for_agent(&self) -> Json {
        let mut theirs = self.theirs.clone();
        let ours = |slot: &&Slot| slot.active && theirs.value().get(&slot.key).is_some();
        let keys: Vec<&Slot> = self.slots.iter().filter(ours).collect();
        if let Some(map) = theirs.value_mut().as_object_mut() {
            for slot in keys {
                map.remove(&slot.key);
            }
        }
        theirs
    }

    /// Whether a projection is written.
    pub(crate) fn is_active(&self, form: Form) -> bool {
        self.slots
            .iter()
            .any(|slot| slot.form == form && slot.active)
    }

    /// Whether there is no state that could be patched, so that one has to be made first.
    pub(crate) fn is_absent(&self) -> bool {
        self.theirs.is_null()
    }

    /// An object is put where there was no state.
    pub(crate) fn make_object(&mut self, out: &mut Vec<Operation>) {
        self.theirs = Json::from(Value::from([]));
        out.push(Operation::add("", Value::from([])));
    }

    /// The agent replaces the whole state.
    pub(crate) fn take_snapshot(&mut self, snapshot: &Json, ledger: &Ledger) {
        for slot in &mut self.slots {
            slot.written = false;
        }
        if !self.may_name_ours(snapshot) {
            self.theirs = snapshot.detached();
            return;
        }
        self.adopt(snapshot.value().into_owned(), ledger);
    }

    /// Whether a state may have one of our keys, seen from its text alone.
    pub(crate) fn may_name_ours(&self, snapshot: &Json) -> bool {
        let mut text = String::new();
        snapshot.write(&mut text);
        let named = |slot: &Slot| {
            slot.active && memchr::memmem::find(text.as_bytes(), slot.key.as_bytes()).is_some()
        };
        // A name may be written with escapes.
        self.slots.iter().any(named) || memchr::memchr(b'\\', text.as_bytes()).is_some()
    }

    fn adopt(&mut self, mut whole: Value, ledger: &Ledger) {
        for slot in &mut self.slots {
            slot.written = false;
        }
        if let Some(map) = whole.as_object_mut() {
            for slot in self.slots.iter_mut().filter(|slot| slot.active) {
                slot.adopt(map, ledger);
            }
        }
        self.theirs = Json::from(whole);
    }

    /// The agent patches the state. Like the client, we drop a patch that does not apply.
    pub(crate) fn take_delta(&mut self, patch: &[Operation], ledger: &Ledger) {
        for at in 0..self.slots.len() {
            let slot = &self.slots[at];
            let used = slot.form != Form::Deep && slot.active && slot.is_named_by(patch);
            if used {
                self.stand_down(at, ledger);
            }
        }
        let touched = self
            .slots
            .iter()
            .any(|slot| slot.active && (slot.is_named_by(patch) || patch.iter().any(is_root)));
        if !touched {
            // It fails for the client as it fails here.
            drop(self.patcher.apply(self.theirs.value_mut(), patch));
            return;
        }
        let mut whole = self.theirs.value().into_owned();
        if let Some(map) = whole.as_object_mut() {
            for slot in self.slots.iter().filter(|slot| slot.written) {
                slot.put_into(map, ledger);
            }
        }
        if self.patcher.apply(&mut whole, patch).is_ok() {
            self.adopt(whole, ledger);
        }
    }

    /// The agent uses a key: from now on what is there is its own.
    fn stand_down(&mut self, at: usize, ledger: &Ledger) {
        let slot = &mut self.slots[at];
        if slot.written
            && let Some(map) = self.theirs.value_mut().as_object_mut()
        {
            slot.put_into(map, ledger);
        }
        slot.active = false;
        slot.written = false;
    }

    /// Nothing of ours can be sent now: it is written as a whole next time.
    pub(crate) fn miss(&mut self) {
        for slot in &mut self.slots {
            slot.written = false;
        }
    }

    /// Writes whatever the client does not have.
    pub(crate) fn restore(&mut self, ledger: &Ledger, out: &mut Vec<Operation>) {
        self.write(ledger, None, out);
    }

    /// Writes a change, or the whole where the client does not have what was before.
    pub(crate) fn publish(&mut self, ledger: &Ledger, change: &Change, out: &mut Vec<Operation>) {
        self.write(ledger, Some(change), out);
    }

    fn write(&mut self, ledger: &Ledger, change: Option<&Change>, out: &mut Vec<Operation>) {
        if !self.theirs.is_object() && !self.is_absent() {
            self.miss();
            return;
        }
        for at in 0..self.slots.len() {
            if !self.slots[at].active {
                continue;
            }
            if self.slots[at].written {
                let Some(change) = change else {
                    continue;
                };
                let slot = &mut self.slots[at];
                if matches!(change, Change::Evicted(_)) && slot.value(ledger).is_none() {
                    // The last list went: an empty object would look like somebody else's.
                    slot.written = false;
                    out.push(Operation::remove(slot.root.as_str()));
                } else {
                    slot.form.operations(&slot.root, ledger, change, out);
                }
            } else if let Some(value) = self.slots[at].value(ledger) {
                if self.is_absent() {
                    self.make_object(out);
                }
                out.push(Operation::add(self.slots[at].root.as_str(), value));
                self.slots[at].written = true;
                self.slots[at].occupied = false;
            }
        }
    }

    /// The whole state that the client should have now.
    #[cfg(test)]
    pub(crate) fn whole(&self, ledger: &Ledger) -> Value {
        let mut whole = self.theirs.value().into_owned();
        if let Some(map) = whole.as_object_mut() {
            for slot in self.slots.iter().filter(|slot| slot.written) {
                slot.put_into(map, ledger);
            }
        }
        whole
    }
}

impl Slot {
    /// What is to be written here; nothing if there is nothing to say.
    fn value(&self, ledger: &Ledger) -> Option<Json> {
        match self.form {
            Form::Deep if self.written || self.occupied => Some(ledger.to_state()),
            form => form.value(ledger),
        }
    }

    /// Takes our value out of a state that somebody else sent, and sees whether it is ours.
    fn adopt(&mut self, map: &mut Map, ledger: &Ledger) {
        self.occupied = false;
        let Some(value) = map.get(&self.key) else {
            return;
        };
        let ours = match self.form {
            Form::Deep => Some(ledger.to_state()),
            form => form.value(ledger),
        };
        self.written = ours.as_ref().is_some_and(|ours| *ours.value() == *value);
        let echo = match self.form {
            Form::Deep => true,
            Form::Bridge => is_our_bridge(value),
            Form::Rag => is_our_rag(value),
        };
        if !self.written && !echo {
            self.active = false;
            return;
        }
        self.occupied = !self.written && self.form == Form::Deep;
        // An old list of ours is ours to write over; with nothing to write over it with, it stays.
        if ours.is_some() {
            map.remove(&self.key);
        }
    }

    fn put_into(&self, map: &mut Map, ledger: &Ledger) {
        if let Some(value) = self.value(ledger) {
            map.insert(self.key.clone(), value.into_value());
        }
    }

    /// Whether a patch names this key or something below it.
    fn is_named_by(&self, patch: &[Operation]) -> bool {
        let names = |pointer: &str| {
            pointer
                .strip_prefix(self.root.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        patch
            .iter()
            .any(|operation| names(&operation.path) || operation.from.as_deref().is_some_and(names))
    }
}

fn is_root(operation: &Operation) -> bool {
    operation.path.is_empty() || operation.from.as_deref().is_some_and(str::is_empty)
}
