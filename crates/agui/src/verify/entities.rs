//! Messages, tool calls and reasoning of a run: which are open, and who owns them.

use super::{MAX_OPEN, Violation};
use crate::id_table::IdTable;
use json::Text;

/// Producer of an entity: a subagent, or `None` for the parent agent.
pub(super) type Owner = Option<Box<str>>;

/// Message, tool call, reasoning message or reasoning span.
#[derive(Debug, Default)]
pub(super) struct TrackedEntity {
    /// Owner that opened it first; kept after it is closed.
    pub(super) owner: Option<Owner>,
    /// Opening number, if it is open.
    pub(super) open: Option<u64>,
}

/// Entities of one kind by id.
#[derive(Debug, Default)]
pub(super) struct EntityTable {
    pub(super) by_id: IdTable<TrackedEntity>,
    pub(super) open: usize,
}

impl EntityTable {
    pub(super) fn start(&mut self, id: &str, clock: &mut u64) -> Result<(), Violation> {
        if self.open + 1 >= MAX_OPEN {
            return Err(Violation::TooManyOpen);
        }
        let entity = self.entity(id);
        if entity.open.is_some() {
            return Err(Violation::AlreadyOpen);
        }
        *clock += 1;
        entity.open = Some(*clock);
        self.open += 1;
        Ok(())
    }

    pub(super) fn entity(&mut self, id: &str) -> &mut TrackedEntity {
        self.by_id.entry(id)
    }

    pub(super) fn owner(&self, id: &str) -> Option<&Owner> {
        self.by_id.get(id).and_then(|entity| entity.owner.as_ref())
    }

    pub(super) fn is_open(&self, id: &str) -> bool {
        self.by_id
            .get(id)
            .is_some_and(|entity| entity.open.is_some())
    }

    /// Checks that an entity is open and that the event's tag matches its owner.
    #[inline]
    pub(super) fn check_continued(
        &mut self,
        id: &str,
        tag: Option<&Text>,
    ) -> Result<&mut TrackedEntity, Violation> {
        match self.by_id.get_mut(id) {
            Some(entity) if entity.open.is_some() => {
                check_owner(entity.owner.as_ref(), tag)?;
                Ok(entity)
            }
            _ => Err(Violation::NotOpen),
        }
    }

    pub(super) fn end(&mut self, id: &str, tag: Option<&Text>) -> Result<(), Violation> {
        self.check_continued(id, tag)?.open = None;
        self.open -= 1;
        Ok(())
    }

    /// Records an owner unless one is recorded.
    pub(super) fn claim_owner(&mut self, id: &str, owner: Owner) {
        let entity = self.entity(id);
        entity.owner.get_or_insert(owner);
    }

    /// Records an owner and replaces any former one.
    pub(super) fn set_owner(&mut self, id: &str, owner: Owner) {
        self.entity(id).owner = Some(owner);
    }

    pub(super) fn open_ids(&self) -> Vec<String> {
        let open = self
            .by_id
            .iter()
            .filter_map(|(id, entity)| entity.open.map(|at| (at, id.to_owned())));
        in_opening_order(open)
    }
}

pub(super) fn in_opening_order(items: impl Iterator<Item = (u64, String)>) -> Vec<String> {
    let mut items: Vec<_> = items.collect();
    items.sort_unstable();
    items.into_iter().map(|(_, item)| item).collect()
}

pub(super) fn owner_of(tag: Option<&Text>) -> Owner {
    tag.map(|tag| Box::from(tag.as_str()))
}

/// Checks that a tag equals the recorded owner. It passes if either is absent.
pub(super) fn check_owner(owner: Option<&Owner>, tag: Option<&Text>) -> Result<(), Violation> {
    match (owner, tag) {
        (Some(owner), Some(tag)) if owner.as_deref() != Some(tag.as_str()) => {
            Err(Violation::NotTheOwner {
                tag: tag.to_string(),
                owner: owner.as_deref().map(str::to_owned),
            })
        }
        _ => Ok(()),
    }
}
