//! Texts of messages: each is stored once per thread and found by its hash.

use std::borrow::Cow;

use bytes::Bytes;
use json::{Json, Value};
use rusqlite::{Connection, OptionalExtension, params};

use super::chunked_row::{ChunkedRow, LARGE_EVENT, read_chunks};
use crate::error::{Result, StoreError};
use crate::threads::last_user_message;
use crate::varint;

/// Bytes of the hash that identifies a text within its thread.
const HASH_BYTES: usize = 16;

/// Messages as JSON, with their hashes.
#[derive(Default)]
pub(super) struct HashedTexts {
    /// Hashes, one after the other.
    pub(super) hashes: Vec<u8>,
    pub(super) texts: Vec<Bytes>,
}

impl HashedTexts {
    pub(super) fn push(&mut self, text: Bytes) {
        let hash = blake3::hash(&text);
        self.hashes
            .extend_from_slice(&hash.as_bytes()[..HASH_BYTES]);
        self.texts.push(text);
    }

    /// Returns the hash at a position.
    pub(super) fn hash(&self, position: usize) -> &[u8] {
        hash_at(&self.hashes, position).unwrap_or_default()
    }

    /// Returns the number of messages at the beginning that equal those of a stored list.
    pub(super) fn shared_prefix(&self, other: &[u8]) -> usize {
        let same = |position: &usize| hash_at(other, *position) == Some(self.hash(*position));
        (0..self.texts.len()).take_while(same).count()
    }
}

/// Returns the hash at a position of a stored list.
pub(super) fn hash_at(hashes: &[u8], position: usize) -> Option<&[u8]> {
    hashes.get(position * HASH_BYTES..(position + 1) * HASH_BYTES)
}

/// Returns the number of messages of a stored list.
pub(super) fn hash_count(hashes: &[u8]) -> usize {
    hashes.len() / HASH_BYTES
}

/// Returns the number of a text in its thread. Stores the text if it is new.
pub(super) fn find_or_insert(
    connection: &Connection,
    thread: i64,
    hash: &[u8],
    text: &[u8],
) -> Result<i64> {
    let found = connection
        .prepare_cached("SELECT number FROM texts WHERE thread = ?1 AND hash = ?2")?
        .query_row(params![thread, hash], |row| row.get(0))
        .optional()?;
    if let Some(number) = found {
        return Ok(number);
    }
    connection
        .prepare_cached("INSERT INTO texts (thread, hash, json) VALUES (?1, ?2, ?3)")?
        .execute(params![thread, hash, text])?;
    Ok(connection.last_insert_rowid())
}

/// Input of a run, split into its messages and the rest.
pub(super) struct SplitInput {
    /// The input with an empty list of messages.
    pub(super) frame: String,
    /// Chunks of a large frame, which usually repeats the state of the run before.
    pub(super) chunks: Option<ChunkedRow>,
    pub(super) messages: HashedTexts,
    /// Id of the last user message.
    pub(super) question: Option<String>,
}

impl SplitInput {
    pub(super) fn new(input: Json) -> Self {
        let mut messages = HashedTexts::default();
        let mut value = input.into_value();
        let question = last_user_message(&value);
        if let Value::Object(members) = &mut value
            && let Some(Value::Array(items)) = members.get_mut("messages")
        {
            for item in std::mem::take(items) {
                messages.push(item.to_json().into());
            }
        }
        let frame = value.to_json();
        Self {
            chunks: (frame.len() >= LARGE_EVENT).then(|| ChunkedRow::new(frame.as_bytes())),
            frame,
            messages,
            question,
        }
    }
}

/// First byte of a frame in chunks. JSON never begins with it.
const CHUNKED_FRAME: u8 = 0;

impl SplitInput {
    /// Returns the frame in the form in which it is stored. Chunks that the thread does not have are stored.
    pub(super) fn stored_frame(
        &self,
        connection: &Connection,
        thread: i64,
    ) -> Result<Cow<'_, [u8]>> {
        let Some(chunks) = &self.chunks else {
            return Ok(Cow::Borrowed(self.frame.as_bytes()));
        };
        let mut stored = vec![CHUNKED_FRAME];
        varint::push_count(&mut stored, chunks.size);
        stored.extend(chunks.store(connection, thread)?);
        Ok(Cow::Owned(stored))
    }
}

/// Reads a stored frame.
pub(super) fn read_frame(connection: &Connection, stored: Vec<u8>) -> Result<Vec<u8>> {
    let Some((&CHUNKED_FRAME, mut numbers)) = stored.split_first() else {
        return Ok(stored);
    };
    let size = varint::take_count(&mut numbers);
    let size = size.ok_or_else(|| StoreError::corrupt("the input of a run"))?;
    read_chunks(connection, numbers, size)
}

/// Joins the input of a run from its parts.
pub(super) fn join_input(frame: &str, messages: &[Bytes]) -> Result<Bytes> {
    let damaged = |_| StoreError::corrupt("the input of a run");
    let mut value = Value::parse(frame).map_err(damaged)?;
    if let Value::Object(members) = &mut value
        && let Some(Value::Array(items)) = members.get_mut("messages")
    {
        for message in messages {
            let text = std::str::from_utf8(message)
                .map_err(|_| StoreError::corrupt("a message of a run's input"))?;
            items.push(Value::parse(text).map_err(damaged)?);
        }
    }
    Ok(value.to_json().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_input_is_joined_to_the_same_text() {
        for text in [
            r#"{"threadId":"t","messages":[{"id":"1","n":1.50},{"id":"2"}],"state":null}"#,
            r#"{"messages":[]}"#,
            r#"{"messages":null}"#,
            "[1,2]",
        ] {
            let split = SplitInput::new(Json::parse(text).expect("JSON"));
            assert!(!split.frame.contains("\"id\""));
            let joined = join_input(&split.frame, &split.messages.texts).expect("whole");
            assert_eq!(joined, text);
        }
    }
}
