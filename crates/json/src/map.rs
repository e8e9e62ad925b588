//! Members of a JSON object, in order and indexed by name.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::value::Value;

/// Number of members above which an object gets a hash index.
const INDEX_FROM: usize = 16;

/// Number of members up to which a removal keeps the order of the others.
const ORDERED_UP_TO: usize = 4096;

/// Members of a JSON object in order, found by name in constant time.
///
/// Small objects are searched linearly, which is faster than hashing; larger ones carry an index.
#[derive(Clone, Default)]
pub struct Map {
    entries: Vec<(String, Value)>,
    index: Option<Box<MemberIndex>>,
}

#[derive(Clone, Default)]
struct MemberIndex {
    positions: HashTable<usize>,
    hasher: DefaultHashBuilder,
}

impl MemberIndex {
    fn over(entries: &[(String, Value)]) -> Self {
        let mut index = Self::default();
        for position in 0..entries.len() {
            index.add(entries, position);
        }
        index
    }

    fn add(&mut self, entries: &[(String, Value)], position: usize) {
        let Self { positions, hasher } = self;
        positions.insert_unique(
            hasher.hash_one(entries[position].0.as_str()),
            position,
            |at| hasher.hash_one(entries[*at].0.as_str()),
        );
    }

    fn position(&self, entries: &[(String, Value)], key: &str) -> Option<usize> {
        self.positions
            .find(self.hasher.hash_one(key), |at| entries[*at].0 == key)
            .copied()
    }

    /// Moves all members behind a position that was removed one position forward.
    fn close_gap(&mut self, position: usize) {
        for at in self.positions.iter_mut().filter(|at| **at > position) {
            *at -= 1;
        }
    }

    fn remove(&mut self, key: &str, position: usize) {
        if let Ok(entry) = self
            .positions
            .find_entry(self.hasher.hash_one(key), |at| *at == position)
        {
            entry.remove();
        }
    }
}

impl Map {
    /// Creates an object without members.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of members.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if there is no member.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn position(&self, key: &str) -> Option<usize> {
        match &self.index {
            Some(index) => index.position(&self.entries, key),
            None => self.entries.iter().position(|(name, _)| name == key),
        }
    }

    /// Returns the member of this name.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.position(key).map(|at| &self.entries[at].1)
    }

    /// Returns the member of this name.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value> {
        self.position(key).map(|at| &mut self.entries[at].1)
    }

    /// Returns true if there is a member of this name.
    pub fn contains(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Sets a member and returns its old value. An existing member keeps its position.
    pub fn insert(&mut self, key: String, value: Value) -> Option<Value> {
        if let Some(at) = self.position(&key) {
            return Some(std::mem::replace(&mut self.entries[at].1, value));
        }
        self.entries.push((key, value));
        match &mut self.index {
            Some(index) => index.add(&self.entries, self.entries.len() - 1),
            None if self.entries.len() > INDEX_FROM => {
                self.index = Some(Box::new(MemberIndex::over(&self.entries)));
            }
            None => {}
        }
        None
    }

    /// Removes a member. The others keep their order, as in the objects of JavaScript; only in a very large object the
    /// last member moves into the gap, so that removing many members takes linear time.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.position(key)?;
        let Some(index) = &mut self.index else {
            return Some(self.entries.remove(at).1);
        };
        index.remove(key, at);
        if self.entries.len() <= ORDERED_UP_TO {
            index.close_gap(at);
            return Some(self.entries.remove(at).1);
        }
        let last = self.entries.len() - 1;
        if at != last {
            index.remove(&self.entries[last].0, last);
        }
        let (_, value) = self.entries.swap_remove(at);
        if at != last {
            index.add(&self.entries, at);
        }
        Some(value)
    }

    /// Keeps the members for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut Value) -> bool) {
        let before = self.entries.len();
        self.entries.retain_mut(|(key, value)| keep(key, value));
        if self.index.is_some() && self.entries.len() != before {
            self.index = Some(Box::new(MemberIndex::over(&self.entries)));
        }
    }

    /// Iterates over the members in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value)> + ExactSizeIterator {
        self.entries
            .iter()
            .map(|(key, value)| (key.as_str(), value))
    }
}

/// Two objects are equal if they have the same members, in any order.
impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .all(|(key, value)| other.get(key) == Some(value))
    }
}

impl std::fmt::Debug for Map {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl FromIterator<(String, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        let mut map = Self::new();
        for (key, value) in members {
            map.insert(key, value);
        }
        map
    }
}

impl IntoIterator for Map {
    type Item = (String, Value);
    type IntoIter = std::vec::IntoIter<(String, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}
