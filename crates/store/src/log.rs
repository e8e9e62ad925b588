//! Events in a row, as the log keeps them.

use bytes::Bytes;

use crate::error::{Result, StoreError};
use crate::evidence::StoredVerification;
use crate::ids::Sequence;

/// The longest single event, in bytes.
pub const MAX_EVENT_BYTES: usize = 64 << 20;

/// Events that are appended together.
///
/// They lie one behind the other, each after its length in LEB128: a batch is one value to the storage,
/// whatever number of events it holds. The verifications that they link to are stored with them: whoever sees the
/// ones finds the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogBatch {
    bytes: Vec<u8>,
    count: u32,
    too_long: bool,
    verifications: Vec<StoredVerification>,
}

impl LogBatch {
    /// A batch without events.
    pub fn new() -> Self {
        Self::default()
    }

    /// A batch without events, with room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(bytes),
            ..Self::default()
        }
    }

    /// Adds an event: the JSON that the client is sent.
    pub fn push(&mut self, event: &[u8]) {
        self.too_long |= event.len() > MAX_EVENT_BYTES;
        let mut rest = event.len();
        while rest >= 0x80 {
            self.bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
        self.bytes.extend_from_slice(event);
        self.count = self.count.saturating_add(1);
    }

    /// The same batch, with the verifications that its events link to. They belong to whom the run does, and go with
    /// its thread.
    #[must_use]
    pub fn with_verifications(self, verifications: Vec<StoredVerification>) -> Self {
        Self {
            verifications,
            ..self
        }
    }

    /// How many events it holds.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many bytes it takes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// What there is to store, if that can be stored.
    pub(crate) fn checked(self) -> Result<CheckedBatch> {
        if self.too_long || self.bytes.len() > 2 * MAX_EVENT_BYTES {
            return Err(StoreError::invalid("the event", "it is longer than 64 MiB"));
        }
        for verification in &self.verifications {
            verification.check()?;
        }
        Ok(CheckedBatch {
            count: self.count,
            bytes: self.bytes,
            verifications: self.verifications,
        })
    }

    /// The same, of a batch that has events.
    pub(crate) fn checked_events(self) -> Result<CheckedBatch> {
        if self.is_empty() {
            return Err(StoreError::invalid("the batch", "it holds no event"));
        }
        self.checked()
    }
}

/// A batch that can be stored.
pub(crate) struct CheckedBatch {
    pub(crate) count: u32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) verifications: Vec<StoredVerification>,
}

impl CheckedBatch {
    /// Whether there is nothing to store.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0 && self.verifications.is_empty()
    }
}

/// Events of a thread that were stored together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvents {
    /// The sequence of the first event in `bytes`.
    first: Sequence,
    /// How many events at the beginning were not asked for.
    skip: u32,
    /// How many events follow those.
    count: u32,
    bytes: Bytes,
}

impl StoredEvents {
    /// The part of some stored events, the last of which has the sequence `last`, that comes after
    /// `after`, at most `limit` of them.
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

    /// How many events it holds.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The sequence of its last event.
    pub fn last(&self) -> Sequence {
        self.first + u64::from(self.skip) + u64::from(self.count) - 1
    }

    /// The events, each with its sequence.
    pub fn iter(&self) -> impl Iterator<Item = (Sequence, &[u8])> {
        let mut rest: &[u8] = &self.bytes;
        let mut sequence = self.first;
        let events = std::iter::from_fn(move || {
            let event = take_event(&mut rest)?;
            sequence += 1;
            Some((sequence - 1, event))
        });
        events.skip(self.skip as usize).take(self.count as usize)
    }
}

/// Takes the next event off; `None` at the end, or if the bytes were not written by a [`LogBatch`].
fn take_event<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut length = 0usize;
    for (at, byte) in rest.iter().enumerate().take(5) {
        length |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            let event = rest.get(at + 1..(at + 1).checked_add(length)?)?;
            *rest = &rest[at + 1 + length..];
            return Some(event);
        }
    }
    None
}

/// Some of a thread's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPage {
    /// The events asked for, in order.
    pub chunks: Vec<StoredEvents>,
    /// The sequence of the thread's last event when this was read.
    pub last: Sequence,
}

impl LogPage {
    /// The events, each with its sequence.
    pub fn iter(&self) -> impl Iterator<Item = (Sequence, &[u8])> {
        self.chunks.iter().flat_map(StoredEvents::iter)
    }

    /// How many bytes they take, or a little less.
    pub fn size(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.bytes.len()).sum()
    }

    /// Where to go on reading; `None` if this was all there was.
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
        fn what_is_pushed_is_read(
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
        fn foreign_bytes_end_early(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let size = bytes.len();
            let chunk = StoredEvents::cut(bytes.into(), 50, 50, 0, 50).expect("50 follow 0");
            prop_assert!(chunk.iter().map(|(_, event)| event.len() + 1).sum::<usize>() <= size);
        }
    }
}
