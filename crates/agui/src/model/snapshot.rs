//! Messages of a snapshot, and a cache that avoids parsing repeated messages.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashMap;

use json::typed::Schema;
use json::typed::{NotTyped, TypedJson, TypedReader};

use super::message::Message;

/// Messages of a `MESSAGES_SNAPSHOT`, shared so that the next snapshot can repeat them cheaply.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SnapshotMessages(pub Vec<Arc<Message>>);

impl std::ops::Deref for SnapshotMessages {
    type Target = [Arc<Message>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl FromIterator<Message> for SnapshotMessages {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self(messages.into_iter().map(Arc::new).collect())
    }
}

/// Cache of the last snapshot by its bytes.
///
/// Agents repeat the whole history in every snapshot. A message with the same bytes as in the last
/// snapshot is not parsed again. Only the latest snapshot is cached.
#[derive(Debug, Default)]
pub(crate) struct SnapshotCache {
    buffer: Option<Arc<String>>,
    entries: Vec<SnapshotEntry>,
    by_id: HashMap<String, usize>,
    /// Index of the entry that is expected next.
    cursor: usize,
    /// Entries of the snapshot that is being read.
    next: Vec<SnapshotEntry>,
}

#[derive(Debug)]
struct SnapshotEntry {
    /// Byte range of the message in the buffer.
    range: Range<usize>,
    message: Arc<Message>,
}

impl SnapshotCache {
    /// Starts reading a snapshot and discards an unfinished one.
    pub(crate) fn begin(&mut self) {
        self.next.clear();
        self.cursor = 0;
    }

    /// Replaces the cached snapshot by the one just read.
    pub(crate) fn commit(&mut self, buffer: &Arc<String>) {
        let grown = self.next.len() >= self.entries.len()
            && self
                .entries
                .iter()
                .zip(&self.next)
                .all(|(old, new)| Arc::ptr_eq(&old.message, &new.message));
        let known = if grown { self.entries.len() } else { 0 };
        if !grown {
            self.by_id.clear();
        }
        std::mem::swap(&mut self.entries, &mut self.next);
        self.next.clear();
        for (index, entry) in self.entries.iter().enumerate().skip(known) {
            self.by_id.insert(entry.message.id.clone(), index);
        }
        self.buffer = Some(Arc::clone(buffer));
    }

    fn find(&self, rest: &str) -> Option<(&Arc<Message>, usize)> {
        let entry = self.entries.get(self.cursor)?;
        let known = &self.buffer.as_ref()?.as_bytes()[entry.range.clone()];
        rest.as_bytes()
            .starts_with(known)
            .then_some((&entry.message, known.len()))
    }
}

impl TypedJson for SnapshotMessages {
    const SCHEMA: Schema = Schema::Array(&Message::SCHEMA);

    fn read(reader: &mut TypedReader<'_>) -> Result<Self, NotTyped> {
        let mut messages = Vec::new();
        reader.read_items(|reader| {
            messages.push(read_message(reader)?);
            Ok(())
        })?;
        Ok(Self(messages))
    }

    fn write(&self, out: &mut String) {
        self.0.write(out);
    }
}

fn read_message(reader: &mut TypedReader<'_>) -> Result<Arc<Message>, NotTyped> {
    reader.peek();
    let start = reader.pos();
    let rest = reader.rest();
    let cached = reader
        .context::<SnapshotCache>()
        .and_then(|cache| cache.find(rest))
        .map(|(message, length)| (Arc::clone(message), length));
    let (message, known) = match cached {
        // The text of a message ends with its closing brace, so the prefix match is exact.
        Some((message, length)) => {
            reader.advance(length);
            (message, true)
        }
        None => (Arc::new(Message::read(reader)?), false),
    };
    let end = reader.pos();
    if let Some(cache) = reader.context::<SnapshotCache>() {
        if known {
            cache.cursor += 1;
        } else if let Some(&at) = cache.by_id.get(&message.id) {
            cache.cursor = at + 1;
        }
        cache.next.push(SnapshotEntry {
            range: start..end,
            message: Arc::clone(&message),
        });
    }
    Ok(message)
}
