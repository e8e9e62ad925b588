//! Map from ids that is optimised for repeated lookups of the same id.

use std::cell::Cell;
use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Map from ids that only grows. Looking up the same id again costs one comparison.
#[derive(Debug, Default)]
pub(crate) struct IdTable<T> {
    entries: Vec<(Box<str>, T)>,
    index: HashTable<usize>,
    hasher: DefaultHashBuilder,
    recent: Cell<usize>,
}

impl<T: Default> IdTable<T> {
    #[inline]
    fn position(&self, id: &str) -> Option<usize> {
        let recent = self.recent.get();
        if let Some((known, _)) = self.entries.get(recent)
            && **known == *id
        {
            return Some(recent);
        }
        let found = *self
            .index
            .find(self.hasher.hash_one(id), |&at| *self.entries[at].0 == *id)?;
        self.recent.set(found);
        Some(found)
    }

    pub(crate) fn get(&self, id: &str) -> Option<&T> {
        self.position(id).map(|at| &self.entries[at].1)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: &str) -> Option<&mut T> {
        self.position(id).map(|at| &mut self.entries[at].1)
    }

    /// Returns the value of an id, inserting a default if it is missing.
    pub(crate) fn entry(&mut self, id: &str) -> &mut T {
        let at = self.position(id).unwrap_or_else(|| {
            let at = self.entries.len();
            self.entries.push((Box::from(id), T::default()));
            let Self {
                entries,
                index,
                hasher,
                recent,
            } = self;
            index.insert_unique(hasher.hash_one(id), at, |&at| {
                hasher.hash_one(&*entries[at].0)
            });
            recent.set(at);
            at
        });
        &mut self.entries[at].1
    }

    /// Iterates over all entries in insertion order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.entries.iter().map(|(id, thing)| (&**id, thing))
    }
}
