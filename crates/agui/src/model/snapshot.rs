//! The messages of a snapshot, and the memory that spares reading them again.

use std::ops::Range;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::schema::Schema;
use crate::typed::{Reader, Typed, Unclean};

use super::message::Message;

/// The messages of a `MESSAGES_SNAPSHOT`, shared so that the next snapshot can repeat them cheaply.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Messages(pub Vec<Arc<Message>>);

impl std::ops::Deref for Messages {
    type Target = [Arc<Message>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl FromIterator<Message> for Messages {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        Self(messages.into_iter().map(Arc::new).collect())
    }
}

/// What the last snapshot said, byte for byte.
///
/// Agents repeat the whole history in every snapshot. A message whose bytes are those that were read
/// last time is the message that was read last time. Only the latest snapshot is remembered.
#[derive(Debug, Default)]
pub(crate) struct SnapshotMemory {
    buffer: Option<Arc<String>>,
    entries: Vec<Entry>,
    by_id: HashMap<String, usize>,
    /// The entry expected next.
    cursor: usize,
    /// What the snapshot being read will leave behind.
    next: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    /// Where the message stood in the buffer.
    range: Range<usize>,
    message: Arc<Message>,
}

impl SnapshotMemory {
    /// Forgets a half-read snapshot.
    pub(crate) fn begin(&mut self) {
        self.next.clear();
        self.cursor = 0;
    }

    /// Remembers the snapshot just read, and only that.
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

    fn recall(&self, rest: &str) -> Option<(&Arc<Message>, usize)> {
        let entry = self.entries.get(self.cursor)?;
        let known = &self.buffer.as_ref()?.as_bytes()[entry.range.clone()];
        rest.as_bytes()
            .starts_with(known)
            .then_some((&entry.message, known.len()))
    }
}

impl Typed for Messages {
    const SCHEMA: Schema = Schema::Array(&Message::SCHEMA);

    fn read(reader: &mut Reader<'_>) -> Result<Self, Unclean> {
        let mut messages = Vec::new();
        reader.items(|reader| {
            messages.push(read_message(reader)?);
            Ok(())
        })?;
        Ok(Self(messages))
    }

    fn write(&self, out: &mut String) {
        self.0.write(out);
    }
}

fn read_message(reader: &mut Reader<'_>) -> Result<Arc<Message>, Unclean> {
    reader.peek();
    let start = reader.pos();
    let recalled = reader
        .memory
        .as_ref()
        .and_then(|memory| memory.recall(reader.rest()))
        .map(|(message, length)| (Arc::clone(message), length));
    let (message, known) = match recalled {
        // A message is an object: its text ends with its closing brace, whatever follows.
        Some((message, length)) => {
            reader.advance(length);
            (message, true)
        }
        None => (Arc::new(Message::read(reader)?), false),
    };
    let end = reader.pos();
    if let Some(memory) = &mut reader.memory {
        if known {
            memory.cursor += 1;
        } else if let Some(&at) = memory.by_id.get(&message.id) {
            memory.cursor = at + 1;
        }
        memory.next.push(Entry {
            range: start..end,
            message: Arc::clone(&message),
        });
    }
    Ok(message)
}
