//! Messages of a thread as lists: of hashes to compare, of numbers to keep.

use bytes::Bytes;
use json::{Json, Value};
use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{Result, StoreError};
use crate::threads::last_user_message;

/// How many bytes of hash a message is known by within its thread.
const HASH_BYTES: usize = 16;

/// Messages with their hashes.
#[derive(Default)]
pub(super) struct HashedTexts {
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

    /// The hash at a place.
    pub(super) fn hash(&self, position: usize) -> &[u8] {
        hash_at(&self.hashes, position).unwrap_or_default()
    }

    /// How many messages at the beginning are those of another list.
    pub(super) fn shared(&self, other: &[u8]) -> usize {
        let same = |position: &usize| hash_at(other, *position) == Some(self.hash(*position));
        (0..self.texts.len()).take_while(same).count()
    }
}

/// The hash at a place of a stored list.
pub(super) fn hash_at(hashes: &[u8], position: usize) -> Option<&[u8]> {
    hashes.get(position * HASH_BYTES..(position + 1) * HASH_BYTES)
}

/// How many messages a stored list has.
pub(super) fn count(hashes: &[u8]) -> usize {
    hashes.len() / HASH_BYTES
}

/// The number of a text in its thread; stores it if it is new.
pub(super) fn text_number(
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

/// A run's input, taken apart: everything but its messages, and its messages.
pub(super) struct SplitInput {
    pub(super) frame: String,
    pub(super) messages: HashedTexts,
    /// The id of the last user message.
    pub(super) asked: Option<String>,
}

impl SplitInput {
    pub(super) fn new(input: Json) -> Self {
        let mut messages = HashedTexts::default();
        let mut value = input.into_value();
        let asked = last_user_message(&value);
        if let Value::Object(members) = &mut value
            && let Some(Value::Array(items)) = members.get_mut("messages")
        {
            for item in std::mem::take(items) {
                messages.push(item.to_json().into());
            }
        }
        Self {
            frame: value.to_json(),
            messages,
            asked,
        }
    }
}

/// Puts a run's input together again.
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
    fn an_input_is_taken_apart_and_put_together() {
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
