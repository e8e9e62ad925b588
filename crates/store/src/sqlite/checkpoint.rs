//! The end of a run in SQLite, and what the thread is then.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::background::{self, BackgroundTask};
use super::due;
use super::log::{self, AppendedRows};
use super::message_texts::{self, HashedTexts};
use super::runs::{signed, word_of};
use super::writer::WriteContext;
use crate::error::{Result, StoreError};
use crate::ids::Timestamp;
use crate::projection::ConversationChange;
use crate::threads::{Checkpoint, OpenRun, RunStatus, StoredMessage, StoredRunEnd};

/// How many messages become things together with the end of a run; the others follow. Usually there are two.
const THINGS_AT_ONCE: usize = 32;
/// The log of a run with so few events is left as it is.
const FEW_EVENTS: u64 = 8;

/// The end of a run, in the form it is stored in.
pub(super) struct PreparedEnd {
    last: Option<AppendedRows>,
    status: RunStatus,
    at: Timestamp,
    checkpoint: Option<PreparedCheckpoint>,
}

impl PreparedEnd {
    pub(super) fn new(end: StoredRunEnd) -> Result<Self> {
        end.check()?;
        let last = end.last.checked()?;
        Ok(Self {
            last: (!last.is_empty()).then(|| AppendedRows::new(last)),
            status: end.status,
            at: end.at,
            checkpoint: end.checkpoint.map(PreparedCheckpoint::new),
        })
    }
}

/// A checkpoint with the hashes of its messages.
struct PreparedCheckpoint {
    checkpoint: Checkpoint,
    hashed: HashedTexts,
}

impl PreparedCheckpoint {
    fn new(checkpoint: Checkpoint) -> Self {
        let mut hashed = HashedTexts::default();
        for message in &checkpoint.messages {
            hashed.push(message.json.clone());
        }
        Self { checkpoint, hashed }
    }
}

/// Ends a run.
pub(super) fn end(writing: &mut WriteContext<'_>, run: OpenRun, end: &PreparedEnd) -> Result<()> {
    let connection = writing.connection;
    let thread = signed(run.thread);
    if let Some(last) = &end.last {
        log::append(writing, run, last)?;
    }
    let last = log::last(connection, thread)?;
    let (status, at) = (end.status, end.at);
    let ended = connection
        .prepare_cached(
            "UPDATE runs SET status = ?2, last = ?3, ended = ?4 WHERE number = ?1 AND status = 0",
        )?
        .execute(params![
            signed(run.run),
            word_of(status),
            signed(last),
            at.0
        ])?;
    if ended == 0 {
        return Err(StoreError::RunEnded);
    }
    connection
        .prepare_cached("UPDATE threads SET updated = ?2 WHERE number = ?1")?
        .execute(params![thread, at.0])?;
    if last > run.after + FEW_EVENTS && log::is_scattered(connection, thread, run.after)? {
        let (after, last) = (signed(run.after), signed(last));
        background::add(writing, thread, BackgroundTask::Log { after, last })?;
    }
    writing.tails.remove(&signed(run.run));
    let changed = match &end.checkpoint {
        Some(checkpoint) => keep_checkpoint(writing, thread, checkpoint)?,
        None => ConversationChange::default(),
    };
    due::ended(writing, signed(run.run), at, status, &changed)
}

/// Writes what the thread is now; what has changed in its conversation.
fn keep_checkpoint(
    writing: &mut WriteContext<'_>,
    thread: i64,
    prepared: &PreparedCheckpoint,
) -> Result<ConversationChange> {
    let connection = writing.connection;
    let PreparedCheckpoint { checkpoint, hashed } = prepared;
    let before: Vec<u8> = connection
        .prepare_cached("SELECT hashes FROM checkpoints WHERE thread = ?1")?
        .query_row([thread], |row| row.get(0))
        .optional()?
        .unwrap_or_default();
    let mut replaced = Vec::new();
    let mut changed = ConversationChange::default();
    let mut later = None;
    let known = message_texts::count(&before);
    for (position, message) in checkpoint.messages.iter().enumerate() {
        let hash = hashed.hash(position);
        if message_texts::hash_at(&before, position) != Some(hash) {
            if position < known {
                replaced.extend(message_at(connection, thread, position)?);
            }
            let text = message_texts::text_number(connection, thread, hash, &message.json)?;
            connection
                .prepare_cached(
                    "INSERT INTO messages (thread, position, id, role, text) \
                     VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (thread, position) \
                     DO UPDATE SET id = ?3, role = ?4, text = ?5",
                )?
                .execute(params![thread, position, message.id, message.role, text])?;
            if changed.kept.len() < THINGS_AT_ONCE {
                let (id, role) = (message.id.clone(), message.role.clone());
                changed.kept.push((position, id, role));
            } else {
                later.get_or_insert(position);
            }
        }
    }
    if let Some(from) = later {
        let chore = BackgroundTask::Messages {
            from: signed(from as u64),
            to: signed(checkpoint.messages.len() as u64),
        };
        background::add(writing, thread, chore)?;
    }
    for position in checkpoint.messages.len()..known {
        replaced.extend(message_at(connection, thread, position)?);
    }
    if checkpoint.messages.len() < known {
        connection
            .prepare_cached("DELETE FROM messages WHERE thread = ?1 AND position >= ?2")?
            .execute(params![thread, checkpoint.messages.len()])?;
    }
    changed.hidden = hidden(replaced, &checkpoint.messages);
    connection
        .prepare_cached(
            "INSERT INTO checkpoints (thread, through, state, hashes, record) \
             VALUES (?1, ?2, ?3, ?4, coalesce(?5, x'')) ON CONFLICT (thread) DO UPDATE \
             SET through = ?2, state = ?3, hashes = ?4, record = coalesce(?5, record)",
        )?
        .execute(params![
            thread,
            signed(checkpoint.through),
            &checkpoint.state[..],
            hashed.hashes,
            checkpoint.record.as_deref()
        ])?;
    Ok(changed)
}

/// The id of the message at a place.
fn message_at(connection: &Connection, thread: i64, position: usize) -> Result<Option<String>> {
    Ok(connection
        .prepare_cached("SELECT id FROM messages WHERE thread = ?1 AND position = ?2")?
        .query_row(params![thread, position], |row| row.get(0))
        .optional()?)
}

/// Those of some messages that are not in the conversation any more.
fn hidden(replaced: Vec<String>, messages: &[StoredMessage]) -> Vec<String> {
    if replaced.is_empty() {
        return replaced;
    }
    let shown: HashSet<&str> = messages.iter().map(|message| message.id.as_str()).collect();
    let mut hidden = replaced;
    hidden.retain(|id| !shown.contains(id.as_str()));
    hidden
}
