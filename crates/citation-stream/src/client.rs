//! The state that the client has at this moment, and how our part of it is written.
//!
//! What others wrote is followed event by event, as the client follows it; what we wrote is what the
//! ledger says. So every patch is made for the state it will meet.

use json::patch::{PatchMode, PatchOperation, Patcher, escape};
use json::{Json, Map, Value};

use super::foreign::AgentCitations;
use super::host::{LayerOptions, ThreadMemory};
use super::ledger::{Ledger, LedgerMessage, is_safe};
use super::recall::{StateTrust, looks_like_our_bridge, looks_like_our_rag};
use crate::project::{LedgerChange, StateProjection};
use citations::CitationKey;
use citations::object::{ObjectWriter, list};

/// A projection and whether it is in the client's state.
#[derive(Debug, Clone)]
struct ProjectionSlot {
    form: StateProjection,
    key: String,
    /// The pointer to it.
    root: String,
    /// Whether it is written at all: it is not if it is switched off, or if somebody else uses the key.
    active: bool,
    /// Somebody else uses the key, or did once: it stays theirs as long as the thread lasts.
    stands_down: bool,
    /// Whether the client has exactly what the ledger says.
    written: bool,
    /// Whether something of somebody else stands there that must not stay, even if we have nothing to say.
    occupied: bool,
}

/// The state the client has.
pub(crate) struct ClientState {
    /// All but what we write; `null` if there is no state.
    theirs: Json,
    slots: [ProjectionSlot; 3],
    patcher: Patcher,
}

/// The parts of a state that can be ours.
fn slots(options: &LayerOptions) -> [ProjectionSlot; 3] {
    StateProjection::ALL.map(|form| {
        let (key, on) = match form {
            StateProjection::Deep => (options.key.as_str(), options.deep),
            StateProjection::Bridge => ("citations", options.bridge),
            StateProjection::Rag => ("rag", options.rag),
        };
        // A key that is configured to be that of another projection has it alone.
        let taken = form != StateProjection::Deep && options.deep && options.key == key;
        ProjectionSlot {
            form,
            key: key.to_owned(),
            root: format!("/{}", escape(key)),
            active: on && !taken && is_safe(key),
            stands_down: false,
            written: false,
            occupied: false,
        }
    })
}

/// What a run begins with.
pub(crate) struct RunOpening {
    pub(crate) client: ClientState,
    pub(crate) ledger: Ledger,
    pub(crate) foreign: AgentCitations,
    /// The reviews that are new.
    pub(crate) reviews: Vec<(CitationKey, Json)>,
}

/// What a change between two runs does to what is remembered of a thread.
#[derive(Debug, Clone, Default)]
pub struct ThreadUpdate {
    /// What changes in its state.
    pub operations: Vec<PatchOperation>,
    /// What is to be kept beside the state from now on; as it was if there is none.
    pub record: Option<Json>,
}

impl ClientState {
    /// A client that sends this state, on a thread of which that is remembered; and what is known of the
    /// thread.
    ///
    /// Under our keys what is remembered counts, elsewhere what the client sends. Of a thread that nobody
    /// remembers the client only claims something.
    pub(crate) fn open(
        sent: Option<&Json>,
        recalled: Option<&ThreadMemory>,
        options: &LayerOptions,
    ) -> RunOpening {
        let mut slots = slots(options);
        let mut sent = sent.map_or(Value::Null, |sent| sent.value().into_owned());
        let stored = recalled.map(|recalled| recalled.state.value());
        let record = recalled.and_then(|recalled| recalled.record.as_ref());
        let record = record.map(Json::value);
        for slot in &mut slots {
            if record
                .as_ref()
                .is_some_and(|record| slot.is_left_by(record))
            {
                slot.stand_down();
            }
        }
        let (base, trust) = match &stored {
            Some(stored) => (&**stored, StateTrust::Stored),
            None => (&sent, StateTrust::Claimed),
        };
        let deep = base.get(&options.key);
        let deep = deep.filter(|_| options.deep || trust == StateTrust::Stored);
        let mut ledger = Ledger::recall(deep, trust, options.names);
        if let Some(record) = &record {
            ledger.recall_record(record);
        }
        let mut owned = [false; 3];
        for (slot, owned) in slots.iter().zip(&mut owned) {
            *owned = slot.recall(base, trust, &mut ledger);
        }
        if ledger.numbered.is_empty()
            && let Some(rag) = record.as_ref().and_then(|record| record.get("rag"))
        {
            ledger.recall_numbers(rag);
        }
        let reviews = match (trust, sent.get(&options.key)) {
            (StateTrust::Stored, Some(deep)) => ledger.take_reviews(deep),
            (StateTrust::Stored, None) => Vec::new(),
            (StateTrust::Claimed, _) => ledger.reviews.clone(),
        };
        if let Some(map) = sent.as_object_mut() {
            for (slot, owned) in slots.iter_mut().zip(owned) {
                slot.adopt(map, &ledger, owned);
            }
        }
        let is_active =
            |form: StateProjection| slots.iter().any(|slot| slot.form == form && slot.active);
        let ours = [StateProjection::Bridge, StateProjection::Rag].map(is_active);
        let foreign = AgentCitations::at(stored.as_deref(), &sent, ours);
        RunOpening {
            client: Self {
                theirs: Json::from(sent),
                slots,
                patcher: Patcher::new(PatchMode::Agui),
            },
            ledger,
            foreign,
            reviews,
        }
    }

    /// What is remembered of a thread, to be amended.
    pub(crate) fn stored(recalled: &ThreadMemory, options: &LayerOptions) -> (Self, Ledger) {
        let opening = Self::open(Some(&recalled.state), Some(recalled), options);
        (opening.client, opening.ledger)
    }

    /// These changes of the state, and what they mean for what is kept beside it.
    pub(crate) fn amended(
        &self,
        operations: Vec<PatchOperation>,
        recalled: &ThreadMemory,
        ledger: &Ledger,
    ) -> ThreadUpdate {
        let kept = recalled.record.as_ref();
        ThreadUpdate {
            operations,
            record: kept.and_then(|_| self.record(ledger)),
        }
    }

    /// What the client's state cannot hold, for the program to keep; nothing if it holds everything.
    pub(crate) fn record(&self, ledger: &Ledger) -> Option<Json> {
        let left: Vec<&ProjectionSlot> =
            self.slots.iter().filter(|slot| slot.stands_down).collect();
        let is_object = self.theirs.is_object();
        let holds = is_object
            && self.is_active(StateProjection::Deep)
            && ledger.messages().all(LedgerMessage::is_writable);
        let lacks = !holds && !ledger.is_empty();
        if left.is_empty() && !lacks {
            return None;
        }
        let mut record = ObjectWriter::new();
        let text = |text: &str, out: &mut String| json::write_string(text, out);
        let names = left.iter().map(|slot| slot.form.name());
        list(names, record.key("standsDown"), text);
        if lacks {
            record.json("ledger", &ledger.to_json());
            let emptied = ledger.messages().filter(|m| m.listed && m.cited.is_empty());
            list(emptied.map(|m| &*m.id), record.key("emptied"), text);
            if let Some(rag) = StateProjection::Rag.value(ledger).filter(|_| !is_object) {
                record.json("rag", &rag);
            }
        }
        Some(record.end_json())
    }

    /// The state without what is ours.
    pub(crate) fn theirs(&self) -> &Json {
        &self.theirs
    }

    /// The state without what is ours, as an agent may see it.
    pub(crate) fn for_agent(&self) -> Json {
        let mut theirs = self.theirs.clone();
        let ours = |slot: &&ProjectionSlot| slot.active && theirs.value().get(&slot.key).is_some();
        let keys: Vec<&ProjectionSlot> = self.slots.iter().filter(ours).collect();
        if let Some(map) = theirs.value_mut().as_object_mut() {
            for slot in keys {
                map.remove(&slot.key);
            }
        }
        theirs
    }

    /// Whether a projection is written.
    pub(crate) fn is_active(&self, form: StateProjection) -> bool {
        self.slots
            .iter()
            .any(|slot| slot.form == form && slot.active)
    }

    /// Whether the client has something under the key of a projection that we write.
    pub(crate) fn is_shown(&self, form: StateProjection) -> bool {
        let shown = |slot: &ProjectionSlot| slot.form == form && (slot.written || slot.occupied);
        self.slots.iter().any(shown)
    }

    /// The state without what is ours, read.
    pub(crate) fn read_theirs(&mut self) -> &Value {
        self.theirs.value_mut()
    }

    /// Whether there is no state that could be patched, so that one has to be made first.
    pub(crate) fn is_absent(&self) -> bool {
        self.theirs.is_null()
    }

    /// An object is put where there was no state.
    pub(crate) fn make_object(&mut self, out: &mut Vec<PatchOperation>) {
        self.theirs = Json::from(Value::from([]));
        out.push(PatchOperation::add("", Value::from([])));
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
        let named = |slot: &ProjectionSlot| {
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
            for slot in &mut self.slots {
                slot.adopt(map, ledger, false);
            }
        }
        self.theirs = Json::from(whole);
    }

    /// The agent patches the state. Like the client, we drop a patch that does not apply.
    pub(crate) fn take_delta(&mut self, patch: &[PatchOperation], ledger: &Ledger) {
        for at in 0..self.slots.len() {
            let slot = &self.slots[at];
            let used = slot.form != StateProjection::Deep && slot.active && slot.is_named_by(patch);
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
        slot.stand_down();
    }

    /// Nothing of ours can be sent now: it is written as a whole next time.
    pub(crate) fn miss(&mut self) {
        for slot in &mut self.slots {
            slot.written = false;
        }
    }

    /// Writes whatever the client does not have.
    pub(crate) fn restore(&mut self, ledger: &Ledger, out: &mut Vec<PatchOperation>) {
        self.write(ledger, None, out);
    }

    /// Writes a change, or the whole where the client does not have what was before.
    pub(crate) fn publish(
        &mut self,
        ledger: &Ledger,
        change: &LedgerChange,
        out: &mut Vec<PatchOperation>,
    ) {
        self.write(ledger, Some(change), out);
    }

    fn write(
        &mut self,
        ledger: &Ledger,
        change: Option<&LedgerChange>,
        out: &mut Vec<PatchOperation>,
    ) {
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
                if matches!(change, LedgerChange::Evicted(_)) && slot.value(ledger).is_none() {
                    // The last list went: an empty object would look like somebody else's.
                    slot.written = false;
                    out.push(PatchOperation::remove(slot.root.as_str()));
                } else {
                    slot.form.operations(&slot.root, ledger, change, out);
                }
            } else if let Some(value) = self.slots[at].value(ledger) {
                if self.is_absent() {
                    self.make_object(out);
                }
                out.push(PatchOperation::add(self.slots[at].root.as_str(), value));
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

impl ProjectionSlot {
    /// What is to be written here; nothing if there is nothing to say.
    fn value(&self, ledger: &Ledger) -> Option<Json> {
        match self.form {
            StateProjection::Deep if self.written || self.occupied => Some(ledger.to_state()),
            form => form.value(ledger),
        }
    }

    /// Leaves the key to somebody else.
    fn stand_down(&mut self) {
        self.stands_down = true;
        self.active = false;
        self.written = false;
    }

    /// Whether the record of a thread says that somebody else uses the key.
    fn is_left_by(&self, record: &Value) -> bool {
        let left = record.get("standsDown").and_then(Value::as_array);
        let mut left = left.unwrap_or_default().iter().filter_map(Value::as_str);
        left.any(|name| name == self.form.name())
    }

    /// Reads what only this projection has of the model; whether what stands there is ours.
    ///
    /// What we cite is what the ledger says, so something of it must be there; unless all of it is gone,
    /// which only a program that has kept the thread can know.
    fn recall(&self, base: &Value, trust: StateTrust, ledger: &mut Ledger) -> bool {
        let Some(value) = base.get(&self.key).filter(|_| self.active) else {
            return false;
        };
        let gone = trust == StateTrust::Stored && ledger.entries().next().is_none();
        match self.form {
            StateProjection::Deep => true,
            StateProjection::Bridge => {
                let map = value.as_object();
                ledger.recall_lists(map.into_iter().flat_map(Map::iter).map(|(id, _)| id));
                gone && looks_like_our_bridge(value) || ledger.shares_with_bridge(value)
            }
            StateProjection::Rag => {
                let ours = looks_like_our_rag(value) && (gone || ledger.shares_with_rag(value));
                if ours {
                    ledger.recall_numbers(value);
                }
                ours
            }
        }
    }

    /// Takes our value out of a state that somebody else sent, and sees whether it is ours. A key that we
    /// own may hold what we wrote long ago.
    fn adopt(&mut self, map: &mut Map, ledger: &Ledger, owned: bool) {
        self.occupied = false;
        let Some(value) = map.get(&self.key).filter(|_| self.active) else {
            return;
        };
        let ours = match self.form {
            StateProjection::Deep => Some(ledger.to_state()),
            form => form.value(ledger),
        };
        self.written = ours.as_ref().is_some_and(|ours| *ours.value() == *value);
        let echo = match self.form {
            _ if self.written => true,
            StateProjection::Deep => true,
            StateProjection::Bridge => {
                ledger.is_our_bridge(value) || owned && looks_like_our_bridge(value)
            }
            StateProjection::Rag => ledger.is_our_rag(value) || owned && looks_like_our_rag(value),
        };
        if !echo {
            self.stand_down();
            return;
        }
        self.occupied = !self.written && self.form == StateProjection::Deep;
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
    fn is_named_by(&self, patch: &[PatchOperation]) -> bool {
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

fn is_root(operation: &PatchOperation) -> bool {
    operation.path.is_empty() || operation.from.as_deref().is_some_and(str::is_empty)
}
