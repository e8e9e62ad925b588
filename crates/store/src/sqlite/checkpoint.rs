//! The end of a run in SQLite: its status, and the state of its thread.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::background;
use super::log::{self, AppendedRows};
use super::message_texts::{self, HashedTexts};
use super::runs::{signed, status_code};
use super::writer::WriteContext;
use crate::error::{Result, StoreError};
use crate::ids::{Principal, Timestamp};
use crate::ontology::derived::ThreadMessage;
use crate::threads::{Checkpoint, OpenRun, RunStatus, StoredMessage, StoredRunEnd};

/// Largest number of events of a run whose log is never merged.
const MIN_MERGED_EVENTS: u64 = 8;

/// End of a run, in the form in which it is stored.
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

/// Checkpoint with the hashes of its messages.
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

/// Run that is being ended.
struct EndedRun {
    principal: Principal,
    owner: i64,
    thread: i64,
    agent: String,
    at: Timestamp,
}

/// Ends a run.
pub(super) fn end_run(
    writing: &mut WriteContext<'_>,
    run: OpenRun,
    end: &PreparedEnd,
) -> Result<()> {
    let connection = writing.connection;
    let thread = signed(run.thread);
    if let Some(last) = &end.last {
        log::append(writing, run, last)?;
    }
    let last = log::last_sequence(connection, thread)?;
    let ended = connection
        .prepare_cached(
            "UPDATE runs SET status = ?2, last = ?3, ended = ?4 WHERE number = ?1 AND status = 0 \
             RETURNING principal, agent, (SELECT p.id FROM principals p WHERE p.number = principal)",
        )?
        .query_and_then(
            params![
                signed(run.run),
                status_code(end.status),
                signed(last),
                end.at.0
            ],
            |row| -> Result<EndedRun> {
                Ok(EndedRun {
                    owner: row.get(0)?,
                    agent: row.get(1)?,
                    principal: Principal::new(&row.get::<_, String>(2)?)?,
                    thread,
                    at: end.at,
                })
            },
        )?
        .next()
        .transpose()?;
    let Some(ended) = ended else {
        return Err(StoreError::RunEnded);
    };
    let changed = writing.next_change(&ended.principal)?;
    connection
        .prepare_cached("UPDATE threads SET updated = ?2, changed = ?3 WHERE number = ?1")?
        .execute(params![thread, end.at.0, changed])?;
    if last > run.after + MIN_MERGED_EVENTS && log::is_scattered(connection, thread, run.after)? {
        background::schedule_log_merge(writing, thread, signed(run.after), signed(last))?;
    }
    writing.last_sequences.remove(&signed(run.run));
    match &end.checkpoint {
        Some(checkpoint) => store_checkpoint(writing, &ended, checkpoint),
        None => Ok(()),
    }
}

/// Stores the state of the thread, and the messages that have changed.
fn store_checkpoint(
    writing: &mut WriteContext<'_>,
    ended: &EndedRun,
    prepared: &PreparedCheckpoint,
) -> Result<()> {
    let connection = writing.connection;
    let thread = ended.thread;
    let PreparedCheckpoint { checkpoint, hashed } = prepared;
    let before: Vec<u8> = connection
        .prepare_cached("SELECT hashes FROM checkpoints WHERE thread = ?1")?
        .query_row([thread], |row| row.get(0))
        .optional()?
        .unwrap_or_default();
    let known = message_texts::hash_count(&before);
    let mut replaced = Vec::new();
    for (position, message) in checkpoint.messages.iter().enumerate() {
        let hash = hashed.hash(position);
        if message_texts::hash_at(&before, position) == Some(hash) {
            continue;
        }
        if position < known {
            replaced.extend(message_at(connection, thread, position)?);
        }
        let text = message_texts::find_or_insert(connection, thread, hash, &message.json)?;
        connection
            .prepare_cached(
                "INSERT INTO conversations (thread, position, id, role, text) \
                 VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (thread, position) \
                 DO UPDATE SET id = ?3, role = ?4, text = ?5",
            )?
            .execute(params![thread, position, message.id, message.role, text])?;
        store_message(writing, ended, position, message)?;
    }
    for position in checkpoint.messages.len()..known {
        replaced.extend(message_at(connection, thread, position)?);
    }
    if checkpoint.messages.len() < known {
        connection
            .prepare_cached("DELETE FROM conversations WHERE thread = ?1 AND position >= ?2")?
            .execute(params![thread, checkpoint.messages.len()])?;
    }
    archive_messages(writing, ended, &replaced, &checkpoint.messages)?;
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
    Ok(())
}

/// Returns the id of the message at a position of the conversation.
fn message_at(connection: &Connection, thread: i64, position: usize) -> Result<Option<String>> {
    Ok(connection
        .prepare_cached("SELECT id FROM conversations WHERE thread = ?1 AND position = ?2")?
        .query_row(params![thread, position], |row| row.get(0))
        .optional()?)
}

/// Stores a message that is new or has changed.
fn store_message(
    writing: &mut WriteContext<'_>,
    ended: &EndedRun,
    position: usize,
    message: &StoredMessage,
) -> Result<()> {
    if !ThreadMessage::is_presentable(&message.id, &message.role) {
        return Ok(());
    }
    let changed = writing.next_change(&ended.principal)?;
    writing
        .connection
        .prepare_cached(
            "INSERT INTO messages (principal, thread, id, role, agent, position, archived, created, \
             updated, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, ?7, ?7, ?8) \
             ON CONFLICT (thread, id) DO UPDATE \
             SET role = ?4, position = ?6, archived = 0, updated = ?7, changed = ?8",
        )?
        .execute(params![
            ended.owner,
            ended.thread,
            message.id,
            message.role,
            ended.agent,
            position,
            ended.at.0,
            changed
        ])?;
    Ok(())
}

/// Archives messages that were replaced and are no longer part of the conversation.
fn archive_messages(
    writing: &mut WriteContext<'_>,
    ended: &EndedRun,
    replaced: &[String],
    messages: &[StoredMessage],
) -> Result<()> {
    if replaced.is_empty() {
        return Ok(());
    }
    let shown: HashSet<&str> = messages.iter().map(|message| message.id.as_str()).collect();
    for id in replaced.iter().filter(|id| !shown.contains(id.as_str())) {
        let found: Option<i64> = writing
            .connection
            .prepare_cached(
                "SELECT number FROM messages WHERE thread = ?1 AND id = ?2 AND archived = 0",
            )?
            .query_row(params![ended.thread, id], |row| row.get(0))
            .optional()?;
        if let Some(number) = found {
            let changed = writing.next_change(&ended.principal)?;
            writing
                .connection
                .prepare_cached(
                    "UPDATE messages SET archived = 1, updated = ?2, changed = ?3 WHERE number = ?1",
                )?
                .execute(params![number, ended.at.0, changed])?;
        }
    }
    Ok(())
}
