//! The state that the client has at this moment, and the patches that write our part of it.
//!
//! The agent's part is followed event by event, as the client follows it. Our part is virtual: it is the value of the
//! projections. So every patch is made for the state that it will meet.

mod slot;

use citations::object::{ObjectWriter, list};
use json::patch::{PatchMode, PatchOperation, Patcher};
use json::{Json, Value};

use crate::ledger::{Ledger, LedgerChange, LedgerMessage};
use crate::projection::{StateProjection, full};

pub(crate) use slot::ProjectionSlot;

/// The state that the client has.
pub(crate) struct ClientState {
    /// Everything except our projections; `null` if there is no state.
    agent_state: Json,
    slots: [ProjectionSlot; 3],
    patcher: Patcher,
}

impl ClientState {
    /// Creates the mirror of a state from which our projections were removed.
    pub(crate) fn new(agent_state: Json, slots: [ProjectionSlot; 3]) -> Self {
        Self {
            agent_state,
            slots,
            patcher: Patcher::new(PatchMode::Agui),
        }
    }

    /// Returns the record of the thread: the parts of the ledger that the client's state cannot hold, and the keys
    /// that the agent uses. Returns `None` if there are no such parts.
    pub(crate) fn record(&self, ledger: &Ledger) -> Option<Json> {
        let left: Vec<&ProjectionSlot> =
            self.slots.iter().filter(|slot| slot.stands_down).collect();
        let is_object = self.agent_state.is_object();
        let holds_all = is_object
            && self.is_active(StateProjection::Full)
            && ledger.messages().all(LedgerMessage::is_writable);
        let needs_ledger = !holds_all && !ledger.is_empty();
        if left.is_empty() && !needs_ledger {
            return None;
        }
        let mut record = ObjectWriter::new();
        let text = |text: &str, out: &mut String| json::write_string(text, out);
        let names = left.iter().map(|slot| slot.projection.name());
        list(names, record.key("standsDown"), text);
        if needs_ledger {
            record.json("ledger", &full::ledger_json(ledger));
            let emptied = ledger.messages().filter(|m| m.listed && m.cited.is_empty());
            list(emptied.map(|m| &*m.id), record.key("emptied"), text);
            if let Some(session) = StateProjection::Session
                .value(ledger)
                .filter(|_| !is_object)
            {
                record.json("rag", &session);
            }
        }
        Some(record.end_json())
    }

    /// Returns the state without our projections.
    pub(crate) fn agent_state(&self) -> &Json {
        &self.agent_state
    }

    /// Returns the state without our projections, parsed.
    pub(crate) fn agent_value(&mut self) -> &Value {
        self.agent_state.value_mut()
    }

    /// Returns a copy of the state to send to the agent: without our projections, also without outdated ones.
    pub(crate) fn for_agent(&self) -> Json {
        let mut state = self.agent_state.clone();
        let is_ours =
            |slot: &&ProjectionSlot| slot.active && state.value().get(&slot.key).is_some();
        let slots: Vec<&ProjectionSlot> = self.slots.iter().filter(is_ours).collect();
        if let Some(map) = state.value_mut().as_object_mut() {
            for slot in slots {
                map.remove(&slot.key);
            }
        }
        state
    }

    /// Returns true if a projection is written.
    pub(crate) fn is_active(&self, projection: StateProjection) -> bool {
        self.slots
            .iter()
            .any(|slot| slot.projection == projection && slot.active)
    }

    /// Returns true if the client has a value under the key of a projection that we write.
    pub(crate) fn is_shown(&self, projection: StateProjection) -> bool {
        self.slots
            .iter()
            .any(|slot| slot.projection == projection && (slot.written || slot.occupied))
    }

    /// Returns true if there is no state, so that an object must be created before it can be patched.
    pub(crate) fn is_absent(&self) -> bool {
        self.agent_state.is_null()
    }

    /// Creates an object as the state.
    pub(crate) fn create_object(&mut self, out: &mut Vec<PatchOperation>) {
        self.agent_state = Json::from(Value::from([]));
        out.push(PatchOperation::add("", Value::from([])));
    }

    /// Follows a state snapshot of the agent.
    pub(crate) fn apply_snapshot(&mut self, snapshot: &Json, ledger: &Ledger) {
        if !self.may_contain_projections(snapshot) {
            self.invalidate();
            self.agent_state = snapshot.detached();
            return;
        }
        self.adopt(snapshot.value().into_owned(), ledger);
    }

    /// Returns true if the text of a state may contain one of our keys. It is not parsed, so the answer may be wrong
    /// in one direction: a name can be part of another text.
    pub(crate) fn may_contain_projections(&self, state: &Json) -> bool {
        let mut text = String::new();
        state.write(&mut text);
        let is_named = |slot: &ProjectionSlot| {
            slot.active && memchr::memmem::find(text.as_bytes(), slot.key.as_bytes()).is_some()
        };
        // A name may be written with escapes.
        self.slots.iter().any(is_named) || memchr::memchr(b'\\', text.as_bytes()).is_some()
    }

    /// Takes over a whole state and removes our projections from it.
    fn adopt(&mut self, mut whole: Value, ledger: &Ledger) {
        self.invalidate();
        if let Some(map) = whole.as_object_mut() {
            for slot in &mut self.slots {
                slot.adopt(map, ledger, false);
            }
        }
        self.agent_state = Json::from(whole);
    }

    /// Follows a state patch of the agent. A patch that does not apply is dropped, as the client drops it.
    pub(crate) fn apply_delta(&mut self, patch: &[PatchOperation], ledger: &Ledger) {
        for at in 0..self.slots.len() {
            let slot = &self.slots[at];
            let is_optional = slot.projection != StateProjection::Full;
            if is_optional && slot.active && slot.is_named_by(patch) {
                self.stand_down(at, ledger);
            }
        }
        let is_touched = self
            .slots
            .iter()
            .any(|slot| slot.active && (slot.is_named_by(patch) || patch.iter().any(is_root)));
        if !is_touched {
            // If it fails here it fails for the client too.
            drop(self.patcher.apply(self.agent_state.value_mut(), patch));
            return;
        }
        let mut whole = self.whole(ledger);
        if self.patcher.apply(&mut whole, patch).is_ok() {
            self.adopt(whole, ledger);
        }
    }

    /// Leaves a key to the agent. The value that we wrote there becomes a part of the agent's state.
    fn stand_down(&mut self, at: usize, ledger: &Ledger) {
        let slot = &mut self.slots[at];
        if slot.written
            && let Some(map) = self.agent_state.value_mut().as_object_mut()
        {
            slot.insert_into(map, ledger);
        }
        slot.stand_down();
    }

    /// Notes that the client does not have the value of the ledger, so that it is written as a whole next time.
    pub(crate) fn invalidate(&mut self) {
        for slot in &mut self.slots {
            slot.written = false;
        }
    }

    /// Adds the operations that write all projections which the client does not have.
    pub(crate) fn restore(&mut self, ledger: &Ledger, out: &mut Vec<PatchOperation>) {
        self.write(ledger, None, out);
    }

    /// Adds the operations of a change. Projections that the client does not have are written as a whole.
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
        if !self.agent_state.is_object() && !self.is_absent() {
            self.invalidate();
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
                    // The last list was removed; an empty object would look like a value of the agent.
                    slot.written = false;
                    out.push(PatchOperation::remove(slot.root.as_str()));
                } else {
                    slot.projection
                        .write_operations(&slot.root, ledger, change, out);
                }
            } else if let Some(value) = self.slots[at].value(ledger) {
                if self.is_absent() {
                    self.create_object(out);
                }
                out.push(PatchOperation::add(self.slots[at].root.as_str(), value));
                self.slots[at].written = true;
                self.slots[at].occupied = false;
            }
        }
    }

    /// Returns the whole state that the client has.
    pub(crate) fn whole(&self, ledger: &Ledger) -> Value {
        let mut whole = self.agent_state.value().into_owned();
        if let Some(map) = whole.as_object_mut() {
            for slot in self.slots.iter().filter(|slot| slot.written) {
                slot.insert_into(map, ledger);
            }
        }
        whole
    }
}

/// Returns true if an operation reads or writes the whole state.
fn is_root(operation: &PatchOperation) -> bool {
    operation.path.is_empty() || operation.from.as_deref().is_some_and(str::is_empty)
}
