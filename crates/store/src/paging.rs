//! Pages of long lists.

use std::fmt;
use std::str::FromStr;

use crate::error::{Result, StoreError};

/// Which part of a long list is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Where the last page ended, as it said.
    pub after: Option<String>,
    /// How many at most; 1 to 1,000.
    pub limit: usize,
}

impl PageRequest {
    /// The beginning of a list.
    pub fn first(limit: usize) -> Self {
        Self { after: None, limit }
    }

    /// A place before everything, the newest first.
    pub(crate) const START: (i64, String) = (i64::MAX, String::new());

    pub(crate) fn bounded(&self) -> usize {
        self.limit.clamp(1, 1_000)
    }

    /// The moment, and the id or number, that a list by time was read up to.
    pub(crate) fn place<K: FromStr>(&self) -> Result<Option<(i64, K)>> {
        let Some(after) = &self.after else {
            return Ok(None);
        };
        after
            .split_once('.')
            .and_then(|(at, key)| Some((at.parse().ok()?, key.parse().ok()?)))
            .map(Some)
            .ok_or(StoreError::BadCursor)
    }

    /// The number that a list in the order of numbers was read up to.
    pub(crate) fn number(&self) -> Result<Option<i64>> {
        Ok(self.place::<String>()?.map(|(number, _)| number))
    }
}

/// A part of a long list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing<T> {
    /// The items.
    pub items: Vec<T>,
    /// Where to go on; `None` at the end.
    pub next: Option<String>,
}

impl<T> Listing<T> {
    /// Makes a page of up to `limit + 1` items, of which the last only says that there are more.
    pub(crate) fn cut<K: fmt::Display>(
        mut items: Vec<T>,
        limit: usize,
        place: impl Fn(&T) -> (i64, K),
    ) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(|item| {
            let (at, key) = place(item);
            format!("{at}.{key}")
        });
        Self { items, next }
    }

    /// The same page, of what each item has in it.
    pub(crate) fn map<U>(self, of: impl FnMut(T) -> U) -> Listing<U> {
        Listing {
            items: self.items.into_iter().map(of).collect(),
            next: self.next,
        }
    }
}

impl<T> Listing<(i64, T)> {
    /// Makes a page as [`cut`](Self::cut) does, of items in the order of their numbers.
    pub(crate) fn numbered(items: Vec<(i64, T)>, limit: usize) -> Listing<T> {
        Self::cut(items, limit, |(number, _)| (*number, "")).map(|(_, item)| item)
    }
}
