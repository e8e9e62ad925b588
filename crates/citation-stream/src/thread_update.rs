//! Changes of a thread's memory between two runs.

use citations::CitationKey;
use json::patch::PatchOperation;
use json::{Json, Value};

use crate::client_state::ClientState;
use crate::late_results::LateResult;
use crate::ledger::{CitationOutcome, Ledger, LedgerChange, as_text, parse_review};
use crate::options::LayerOptions;
use crate::projection::{StateProjection, pointer, session};
use crate::run_opening::RunOpening;
use crate::thread_memory::ThreadMemory;

/// Change of a thread's memory between two runs.
#[derive(Debug, Clone, Default)]
pub struct ThreadUpdate {
    /// Patch of the stored state.
    pub operations: Vec<PatchOperation>,
    /// New record; `None` keeps the present one.
    pub record: Option<Json>,
}

impl ThreadUpdate {
    /// Returns the update that a late result makes. It is empty if the citation is gone.
    pub fn of_late_result(
        result: &LateResult,
        memory: &ThreadMemory,
        options: &LayerOptions,
    ) -> Self {
        let RunOpening {
            mut client,
            mut ledger,
            ..
        } = RunOpening::stored(memory, options);
        let Some(entry) = ledger.entry_of(result.key) else {
            return Self::default();
        };
        let outcome = CitationOutcome::new(&result.result, options.names);
        let mut changes = Vec::new();
        if let Some(settled) = ledger.settle(entry, outcome) {
            session::refresh_item(&mut ledger, entry);
            changes.push(LedgerChange::Settled(entry, settled));
            let turns = session::update_turns(&mut ledger, entry);
            changes.extend(turns.into_iter().map(LedgerChange::TurnUpdated));
        }
        let completed = ledger.complete_messages_of(entry);
        changes.extend(completed.into_iter().map(LedgerChange::Progress));
        let mut operations = Vec::new();
        for change in &changes {
            client.publish(&ledger, change, &mut operations);
        }
        Self::new(operations, memory, &client, &ledger)
    }

    /// Returns the update that a review `{action, at, note?}` makes. Returns `None` if the value is not a review or the
    /// thread does not have the citation.
    pub fn of_review(
        memory: &ThreadMemory,
        options: &LayerOptions,
        key: CitationKey,
        review: &Value,
    ) -> Option<Self> {
        let RunOpening {
            client, mut ledger, ..
        } = RunOpening::stored(memory, options);
        ledger.entry_of(key)?;
        let review = parse_review(review)?;
        let mut operations = Vec::new();
        if client.is_shown(StateProjection::Full) {
            let root = pointer("", &[&options.key, "reviews"]);
            if ledger.reviews.is_empty() {
                operations.push(PatchOperation::add(root.as_str(), Value::from([])));
            }
            let path = pointer(&root, &[&key.to_string()]);
            operations.push(PatchOperation::add(path, review.clone()));
        }
        ledger.reviews.set(key, as_text(&review));
        Some(Self::new(operations, memory, &client, &ledger))
    }

    fn new(
        operations: Vec<PatchOperation>,
        memory: &ThreadMemory,
        client: &ClientState,
        ledger: &Ledger,
    ) -> Self {
        let has_record = memory.record.is_some();
        Self {
            operations,
            record: has_record.then(|| client.record(ledger)).flatten(),
        }
    }

    /// Returns true if the memory stays as it is.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty() && self.record.is_none()
    }

    /// Returns the patch of the stored state as a JSON array.
    pub fn patch_json(&self) -> String {
        let mut patch = String::from("[");
        for (at, operation) in self.operations.iter().enumerate() {
            if at > 0 {
                patch.push(',');
            }
            operation.write(&mut patch);
        }
        patch.push(']');
        patch
    }
}
