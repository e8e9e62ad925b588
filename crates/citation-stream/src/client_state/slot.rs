//! One projection in the client's state.

use json::patch::{PatchOperation, escape};
use json::{Json, Map, Value};

use crate::ledger::{Ledger, is_safe_name};
use crate::options::LayerOptions;
use crate::ownership::{
    are_our_lists, asks_for_index, is_our_session, looks_like_our_lists, looks_like_our_session,
    shares_with_lists, shares_with_session,
};
use crate::projection::{StateProjection, full};
use crate::restore::{StateTrust, mark_listed, restore_session};

/// A projection, its state key, and what the client has there.
#[derive(Debug, Clone)]
pub(crate) struct ProjectionSlot {
    pub(crate) projection: StateProjection,
    /// State key.
    pub(crate) key: String,
    /// JSON pointer to the key.
    pub(crate) root: String,
    /// True if the projection is written: it is switched on and the agent does not use its key.
    pub(crate) active: bool,
    /// True if the agent uses or once used the key. The key stays the agent's for the rest of the thread.
    pub(crate) stands_down: bool,
    /// True if the client has exactly the value of the ledger.
    pub(crate) written: bool,
    /// True if the key holds a foreign value that we must overwrite even when the projection is empty.
    pub(crate) occupied: bool,
}

impl ProjectionSlot {
    /// Returns the slots of all projections, before a state is known.
    pub(crate) fn all(options: &LayerOptions) -> [Self; 3] {
        StateProjection::ALL.map(|projection| {
            let (key, is_on) = match projection {
                StateProjection::Full => (options.key.as_str(), options.full),
                StateProjection::SourceLists => (projection.name(), options.source_lists),
                StateProjection::Session => (projection.name(), options.session),
            };
            // The full projection may be configured to the key of another one, which is off then.
            let is_taken =
                projection != StateProjection::Full && options.full && options.key == key;
            Self {
                projection,
                key: key.to_owned(),
                root: format!("/{}", escape(key)),
                active: is_on && !is_taken && is_safe_name(key),
                stands_down: false,
                written: false,
                occupied: false,
            }
        })
    }

    /// Returns the value to write, or `None` if there is nothing to show.
    pub(crate) fn value(&self, ledger: &Ledger) -> Option<Json> {
        match self.projection {
            StateProjection::Full if self.written || self.occupied => {
                Some(full::state_value(ledger))
            }
            projection => projection.value(ledger),
        }
    }

    /// Leaves the key to the agent.
    pub(crate) fn stand_down(&mut self) {
        self.stands_down = true;
        self.active = false;
        self.written = false;
    }

    /// Returns true if the record of a thread says that the agent uses the key.
    pub(crate) fn is_left_by(&self, record: &Value) -> bool {
        let names = record.get("standsDown").and_then(Value::as_array);
        let mut names = names.unwrap_or_default().iter().filter_map(Value::as_str);
        names.any(|name| name == self.projection.name())
    }

    /// Restores the parts of the ledger that only this projection has. Returns true if its value is ours.
    ///
    /// A value is ours if it contains a citation of the ledger. If the ledger has none, only a stored state is trusted
    /// to be ours.
    pub(crate) fn restore(&self, base: &Value, trust: StateTrust, ledger: &mut Ledger) -> bool {
        let Some(value) = base.get(&self.key).filter(|_| self.active) else {
            return false;
        };
        let is_emptied = trust == StateTrust::Stored && ledger.entries().next().is_none();
        match self.projection {
            StateProjection::Full => true,
            StateProjection::SourceLists => {
                let map = value.as_object();
                mark_listed(
                    ledger,
                    map.into_iter().flat_map(Map::iter).map(|(id, _)| id),
                );
                is_emptied && looks_like_our_lists(value) || shares_with_lists(ledger, value)
            }
            StateProjection::Session => {
                let is_ours = looks_like_our_session(value)
                    && (is_emptied || shares_with_session(ledger, value));
                if is_ours {
                    restore_session(ledger, value);
                }
                is_ours
            }
        }
    }

    /// Removes our value from a state that the agent or the client sent, or stands down if the value is not ours.
    /// `is_owned` says that the key is ours, so an outdated value of ours is recognised by its form.
    pub(crate) fn adopt(&mut self, map: &mut Map, ledger: &Ledger, is_owned: bool) {
        self.occupied = false;
        let Some(value) = map.get(&self.key).filter(|_| self.active) else {
            return;
        };
        let ours = match self.projection {
            StateProjection::Full => Some(full::state_value(ledger)),
            projection => projection.value(ledger),
        };
        self.written = ours.as_ref().is_some_and(|ours| *ours.value() == *value);
        let is_ours = self.written
            || match self.projection {
                StateProjection::Full => true,
                StateProjection::SourceLists => {
                    are_our_lists(ledger, value) || is_owned && looks_like_our_lists(value)
                }
                StateProjection::Session => {
                    is_our_session(ledger, value)
                        || is_owned && looks_like_our_session(value)
                        || asks_for_index(value)
                }
            };
        if !is_ours {
            self.stand_down();
            return;
        }
        self.occupied = !self.written && self.projection == StateProjection::Full;
        // An outdated value of ours is overwritten later; without a new value it stays.
        if ours.is_some() {
            map.remove(&self.key);
        }
    }

    /// Writes the present value into a state.
    pub(crate) fn insert_into(&self, map: &mut Map, ledger: &Ledger) {
        if let Some(value) = self.value(ledger) {
            map.insert(self.key.clone(), value.into_value());
        }
    }

    /// Returns true if a patch names the key or something below it.
    pub(crate) fn is_named_by(&self, patch: &[PatchOperation]) -> bool {
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
