//! Pages of long lists.

use std::fmt;
use std::str::FromStr;

use crate::error::{Result, StoreError};

/// Largest number of items on a page.
const MAX_PAGE: usize = 1_000;

/// Request for one page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// [`Listing::next`] of the page before; `None` for the first page.
    pub after: Option<String>,
    /// Largest number of items, from 1 to 1,000.
    pub limit: usize,
}

impl PageRequest {
    /// Requests the first page of a list.
    pub fn first(limit: usize) -> Self {
        Self { after: None, limit }
    }

    /// Position before the first item of a list by time, latest first.
    pub(crate) const START: (i64, String) = (i64::MAX, String::new());

    /// Returns the limit within its bounds.
    pub(crate) fn bounded_limit(&self) -> usize {
        self.limit.clamp(1, MAX_PAGE)
    }

    /// Parses the cursor of a list by time: the time, and the id or number, of the last item before the page.
    pub(crate) fn position<K: FromStr>(&self) -> Result<Option<(i64, K)>> {
        let Some(after) = &self.after else {
            return Ok(None);
        };
        after
            .split_once('.')
            .and_then(|(at, key)| Some((at.parse().ok()?, key.parse().ok()?)))
            .map(Some)
            .ok_or(StoreError::BadCursor)
    }

    /// Parses the cursor of a list by number: the number of the last item before the page.
    pub(crate) fn number(&self) -> Result<Option<i64>> {
        Ok(self.position::<String>()?.map(|(number, _)| number))
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing<T> {
    /// Items in the order of the list.
    pub items: Vec<T>,
    /// Cursor of the next page; `None` at the end.
    pub next: Option<String>,
}

impl<T> Listing<T> {
    /// Creates a page from up to `limit + 1` items. The surplus item only shows that there are more.
    pub(crate) fn from_surplus<K: fmt::Display>(
        mut items: Vec<T>,
        limit: usize,
        position: impl Fn(&T) -> (i64, K),
    ) -> Self {
        let has_more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| has_more).map(|item| {
            let (at, key) = position(item);
            format!("{at}.{key}")
        });
        Self { items, next }
    }

    /// Converts the items of the page.
    pub(crate) fn map<U>(self, convert: impl FnMut(T) -> U) -> Listing<U> {
        Listing {
            items: self.items.into_iter().map(convert).collect(),
            next: self.next,
        }
    }
}

impl<T> Listing<(i64, T)> {
    /// Creates a page like [`from_surplus`](Self::from_surplus) of items that are ordered by number.
    pub(crate) fn from_numbered(items: Vec<(i64, T)>, limit: usize) -> Listing<T> {
        Self::from_surplus(items, limit, |(number, _)| (*number, "")).map(|(_, item)| item)
    }
}
