//! The end of a run in SQLite, and what the thread is then.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::chores::{self, Chore};
use super::lists::{self, HashedTexts};
use super::log;
use super::ontology::Owner;
use super::runs::{keep_conversation, signed};
use super::writer::Writing;
use crate::error::{Result, StoreError};
use crate::names::{Principal, RunId, ThreadId, Timestamp};
use crate::ontology::{Record, message_id};
use crate::projection;
use crate::threads::{Checkpoint, OpenRun, RunStatus, StoredMessage};

/// How many messages become things together with the end of a run; the others follow. Usually there are two.
const THINGS_AT_ONCE: usize = 32;
/// The log of a run with so few events is left as it is.
const FEW_EVENTS: u64 = 8;

/// A checkpoint with the hashes of its messages.
pub(super) struct PreparedCheckpoint {
    checkpoint: Checkpoint,
    hashed: HashedTexts,
}

impl PreparedCheckpoint {
    pub(super) fn new(checkpoint: Checkpoint) -> Self {
        let mut hashed = HashedTexts::default();
        for message in &checkpoint.messages {
            hashed.push(message.json.clone());
        }
        Self { checkpoint, hashed }
    }
}

/// Ends a run.
pub(super) fn end(
    writing: &mut Writing<'_>,
    run: OpenRun,
    status: RunStatus,
    at: Timestamp,
    checkpoint: Option<&PreparedCheckpoint>,
) -> Result<()> {
    let connection = writing.connection;
    let thread = signed(run.thread);
    let last = log::last(connection, thread)?;
    let word = match status {
        RunStatus::Open => {
            return Err(StoreError::invalid("the status", "the run would stay open"));
        }
        RunStatus::Finished => 1,
        RunStatus::Interrupted => 2,
        RunStatus::Cancelled => 3,
        RunStatus::Failed => 4,
    };
    let ended = connection
        .prepare_cached(
            "UPDATE runs SET status = ?2, last = ?3, ended = ?4 WHERE number = ?1 AND status = 0",
        )?
        .execute(params![signed(run.run), word, signed(last), at.0])?;
    if ended == 0 {
        return Err(StoreError::RunEnded);
    }
    connection
        .prepare_cached("UPDATE threads SET updated = ?2 WHERE number = ?1")?
        .execute(params![thread, at.0])?;
    if last > run.after + FEW_EVENTS {
        let (after, last) = (signed(run.after), signed(last));
        chores::add(writing, thread, Chore::Log { after, last })?;
    }
    let ended = Ended::find(connection, signed(run.run), at)?;
    let owner = Owner::new(connection, &ended.principal, at)?;
    keep_conversation(writing, &owner, &ended.thread)?;
    let names = (ended.thread.as_str(), ended.run.as_str());
    let event = projection::ended(owner.principal, names, &ended.agent, status, at);
    owner.put(writing, &Record::Event(event))?;
    match checkpoint {
        Some(checkpoint) => keep_checkpoint(writing, thread, &owner, &ended, checkpoint),
        None => Ok(()),
    }
}

/// What a run that ends is called by.
pub(super) struct Ended {
    pub(super) principal: Principal,
    thread: ThreadId,
    run: RunId,
    agent: String,
    pub(super) at: Timestamp,
}

impl Ended {
    pub(super) fn find(connection: &Connection, run: i64, at: Timestamp) -> Result<Self> {
        connection
            .prepare_cached(
                "SELECT p.id, t.id, r.id, r.agent FROM runs r JOIN threads t ON t.number = r.thread \
                 JOIN principals p ON p.number = t.principal WHERE r.number = ?1",
            )?
            .query_and_then([run], |row| {
                Ok(Self {
                    principal: Principal::new(&row.get::<_, String>(0)?)?,
                    thread: ThreadId::new(&row.get::<_, String>(1)?)?,
                    run: RunId::new(&row.get::<_, String>(2)?)?,
                    agent: row.get(3)?,
                    at,
                })
            })?
            .next()
            .ok_or(StoreError::RunEnded)?
    }
}

fn keep_checkpoint(
    writing: &mut Writing<'_>,
    thread: i64,
    owner: &Owner<'_>,
    ended: &Ended,
    prepared: &PreparedCheckpoint,
) -> Result<()> {
    let connection = writing.connection;
    let PreparedCheckpoint { checkpoint, hashed } = prepared;
    let before: Vec<u8> = connection
        .prepare_cached("SELECT hashes FROM checkpoints WHERE thread = ?1")?
        .query_row([thread], |row| row.get(0))
        .optional()?
        .unwrap_or_default();
    let mut replaced = Vec::new();
    let mut changed = 0;
    let mut later = None;
    for (position, message) in checkpoint.messages.iter().enumerate() {
        let hash = hashed.hash(position);
        if lists::hash_at(&before, position) != Some(hash) {
            replaced.extend(message_at(connection, thread, position)?);
            let text = lists::text_number(connection, thread, hash, &message.json)?;
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO messages (thread, position, id, role, text) \
                     VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![thread, position, message.id, message.role, text])?;
            changed += 1;
            if changed <= THINGS_AT_ONCE {
                keep_message(writing, owner, ended, position, &message.id, &message.role)?;
            } else {
                later.get_or_insert(position);
            }
        }
    }
    if let Some(from) = later {
        let chore = Chore::Messages {
            from: signed(from as u64),
            to: signed(checkpoint.messages.len() as u64),
        };
        chores::add(writing, thread, chore)?;
    }
    for position in checkpoint.messages.len()..lists::count(&before) {
        replaced.extend(message_at(connection, thread, position)?);
    }
    connection
        .prepare_cached("DELETE FROM messages WHERE thread = ?1 AND position >= ?2")?
        .execute(params![thread, checkpoint.messages.len()])?;
    archive_hidden(writing, owner, ended, &replaced, &checkpoint.messages)?;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO checkpoints (thread, through, state, hashes) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![
            thread,
            signed(checkpoint.through),
            &checkpoint.state[..],
            hashed.hashes
        ])?;
    Ok(())
}

/// The id of the message at a place.
fn message_at(connection: &Connection, thread: i64, position: usize) -> Result<Option<String>> {
    Ok(connection
        .prepare_cached("SELECT id FROM messages WHERE thread = ?1 AND position = ?2")?
        .query_row(params![thread, position], |row| row.get(0))
        .optional()?)
}

/// Keeps a message as a thing, with who sent it when it is new.
pub(super) fn keep_message(
    writing: &mut Writing<'_>,
    owner: &Owner<'_>,
    ended: &Ended,
    position: usize,
    id: &str,
    role: &str,
) -> Result<()> {
    if !projection::can_be_a_thing(id, role) {
        return Ok(());
    }
    let (principal, thread) = (owner.principal, ended.thread.as_str());
    let thing = projection::message(principal, thread, position, (id, role), ended.at);
    let is_new = !owner.has(writing.connection, &thing.id)?;
    owner.keep(writing, thing)?;
    if is_new {
        for record in projection::sent(principal, thread, &ended.agent, (id, role), ended.at) {
            owner.put(writing, &record)?;
        }
    }
    Ok(())
}

/// Archives the things of messages that are not in the conversation any more.
fn archive_hidden(
    writing: &mut Writing<'_>,
    owner: &Owner<'_>,
    ended: &Ended,
    replaced: &[String],
    messages: &[StoredMessage],
) -> Result<()> {
    if replaced.is_empty() {
        return Ok(());
    }
    let shown: HashSet<&str> = messages.iter().map(|message| message.id.as_str()).collect();
    for id in replaced.iter().filter(|id| !shown.contains(id.as_str())) {
        let id = message_id(ended.thread.as_str(), id);
        owner.archive(writing, &id, ended.at)?;
    }
    Ok(())
}
