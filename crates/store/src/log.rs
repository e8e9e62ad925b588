//! Batches of events, in the form in which the log stores them.

use bytes::Bytes;

use crate::error::{Result, StoreError};
use crate::evidence::StoredVerification;
use crate::ids::Sequence;
use crate::varint;

/// Longest single event, in bytes.
pub const MAX_EVENT_BYTES: usize = 64 << 20;

/// Events that are appended together, in one row of the log.
///
/// Each event follows its length in LEB128. Verifications that the events link to are stored in the same
/// transaction, so that a link never leads nowhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogBatch {
    bytes: Vec<u8>,
    count: u32,
    /// Length of the longest event in bytes.
    longest: usize,
    verifications: Vec<StoredVerification>,
}

impl LogBatch {
    /// Creates an empty batch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty batch with room for `bytes`.
    pub fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            ..Self::default()
        }
    }

    /// Adds an event: the JSON that clients receive.
    pub fn push(&mut self, event: &[u8]) {
        self.longest = self.longest.max(event.len());
        varint::push_bytes(&mut self.bytes, event);
        self.count = self.count.saturating_add(1);
    }

    /// Adds the verifications that its events link to. They belong to the run's thread and are deleted with it.
    #[must_use]
    pub fn with_verifications(self, verifications: Vec<StoredVerification>) -> Self {
        Self {
            verifications,
            ..self
        }
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns true if there are no events.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Checks sizes and verifications.
    pub(crate) fn checked(self) -> Result<CheckedBatch> {
        if self.longest > MAX_EVENT_BYTES || self.bytes.len() > 2 * MAX_EVENT_BYTES {
            return Err(StoreError::invalid("the event", "it is longer than 64 MiB"));
        }
        for verification in &self.verifications {
            verification.check()?;
        }
        Ok(CheckedBatch {
            count: self.count,
            longest: self.longest,
            bytes: self.bytes,
            verifications: self.verifications,
        })
    }

    /// Checks like [`checked`](Self::checked), and that there are events.
    pub(crate) fn checked_events(self) -> Result<CheckedBatch> {
        if self.is_empty() {
            return Err(StoreError::invalid("the batch", "it contains no event"));
        }
        self.checked()
    }
}

/// Batch that passed the checks.
pub(crate) struct CheckedBatch {
    pub(crate) count: u32,
    /// Length of the longest event in bytes.
    pub(crate) longest: usize,
    pub(crate) bytes: Vec<u8>,
    pub(crate) verifications: Vec<StoredVerification>,
}

impl CheckedBatch {
    /// Returns true if there is nothing to store.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0 && self.verifications.is_empty()
    }
}

/// Consecutive events of a thread that are stored together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvents {
    /// Sequence of the first event in `bytes`.
    first: Sequence,
    /// Number of events at the beginning that were not requested.
    skip: u32,
    /// Number of requested events after those.
    count: u32,
    bytes: Bytes,
}

impl StoredEvents {
    /// Selects up to `limit` events after `after` from a stored row. `last` is the sequence of the row's last
    /// event. Returns `None` if the numbers contradict each other.
    pub(crate) fn cut(
        bytes: Bytes,
        count: u32,
        last: Sequence,
        after: Sequence,
        limit: usize,
    ) -> Option<Self> {
        let first = last.checked_sub(u64::from(count))? + 1;
        let skip = u32::try_from((after + 1).saturating_sub(first)).ok()?;
        let left = count.checked_sub(skip)?;
        Some(Self {
            first,
            skip,
            count: left.min(u32::try_from(limit).unwrap_or(u32::MAX)),
            bytes,
        })
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns true if there are no events.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the sequence of the last event.
    pub fn last(&self) -> Sequence {
        self.first + u64::from(self.skip) + u64::from(self.count) - 1
    }

    /// Iterates over the events with their sequences.
    pub fn iter(&self) -> impl Iterator<Item = (Sequence, &[u8])> {
        let mut rest: &[u8] = &self.bytes;
        let mut sequence = self.first;
        let events = std::iter::from_fn(move || {
            let event = varint::take_bytes(&mut rest)?;
            sequence += 1;
            Some((sequence - 1, event))
        });
        events.skip(self.skip as usize).take(self.count as usize)
    }
}

/// Page of a thread's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPage {
    /// Requested events, in order.
    pub chunks: Vec<StoredEvents>,
    /// Sequence of the thread's last event at the time of reading.
    pub last: Sequence,
}

impl LogPage {
    /// Iterates over the events with their sequences.
    pub fn iter(&self) -> impl Iterator<Item = (Sequence, &[u8])> {
        self.chunks.iter().flat_map(StoredEvents::iter)
    }

    /// Returns the size in bytes of the rows that were read.
    pub fn size(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.bytes.len()).sum()
    }

    /// Returns the position to continue from; `None` if there are no more events.
    pub fn next(&self) -> Option<Sequence> {
        let read = self.chunks.last()?.last();
        (read < self.last).then_some(read)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pushed_events_are_read_back(
            events in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 1..40),
            after in 0u64..60,
            limit in 1usize..50,
        ) {
            let mut batch = LogBatch::new();
            for event in &events {
                batch.push(event);
            }
            let CheckedBatch { count, bytes, .. } = batch.checked().expect("short events");
            let last = 10 + u64::from(count);
            let read: Vec<(u64, Vec<u8>)> = StoredEvents::cut(bytes.into(), count, last, after, limit)
                .map(|chunk| chunk.iter().map(|(at, event)| (at, event.to_vec())).collect())
                .unwrap_or_default();
            let wanted: Vec<(u64, Vec<u8>)> = (11..)
                .zip(events)
                .filter(|(at, _)| *at > after)
                .take(limit)
                .collect();
            prop_assert_eq!(read, wanted);
        }

        #[test]
        fn malformed_bytes_end_the_iteration(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let size = bytes.len();
            let chunk = StoredEvents::cut(bytes.into(), 50, 50, 0, 50).expect("50 follow 0");
            prop_assert!(chunk.iter().map(|(_, event)| event.len() + 1).sum::<usize>() <= size);
        }
    }
}
