//! Threads in memory: their data.

use std::collections::{BTreeMap, HashMap, HashSet};

use bytes::Bytes;
use json::Json;

use super::MemoryState;
use super::ontology_rows::MemoryOntology;
use crate::conversation_records::ConversationRecord;
use crate::error::{Result, StoreError};
use crate::ids::{Principal, RunId, Sequence, ThreadId, Timestamp};
use crate::log::{CheckedBatch, LogPage, StoredEvents};
use crate::ontology::derived::{self, ThreadMessage};
use crate::ontology::{Thing, conversation_id, message_id};
use crate::threads::{
    BeginRun, Checkpoint, NewRun, OpenRun, RunStatus, StoredLateResult, StoredMessage, StoredRun,
    StoredState, Thread, last_user_message,
};

/// Threads of all principals.
#[derive(Default)]
pub(super) struct MemoryThreads {
    pub(super) numbers: BTreeMap<(Principal, ThreadId), u64>,
    pub(super) threads: HashMap<u64, MemoryThread>,
    pub(super) agents: BTreeMap<Principal, BTreeMap<String, MemoryAgent>>,
    /// Last number of a thread, run or late result.
    pub(super) last_number: u64,
}

/// Agent that a principal has used.
pub(super) struct MemoryAgent {
    pub(super) created: Timestamp,
    pub(super) changed: u64,
}

/// Thread with all its data.
pub(super) struct MemoryThread {
    pub(super) principal: Principal,
    pub(super) thread: Thread,
    /// Number of the last change of the thread as a thing.
    pub(super) changed: u64,
    pub(super) runs: Vec<MemoryRun>,
    log: Vec<MemoryLogEntry>,
    pub(super) checkpoint: Checkpoint,
    /// Every message that the thread has or had, by id.
    pub(super) messages: BTreeMap<String, MemoryMessage>,
    /// Citation record.
    pub(super) record: Bytes,
    pub(super) late_results: Vec<StoredLateResult>,
    pub(super) records: Vec<ConversationRecord>,
}

/// Message that is or was part of the conversation.
pub(super) struct MemoryMessage {
    pub(super) number: u64,
    pub(super) changed: u64,
    pub(super) message: ThreadMessage,
}

/// Run with its input.
pub(super) struct MemoryRun {
    pub(super) number: u64,
    pub(super) run: StoredRun,
    pub(super) input: Json,
    /// Number of the last late result when it began.
    pub(super) late_result: u64,
}

/// Batch of the log.
struct MemoryLogEntry {
    last: Sequence,
    count: u32,
    bytes: Bytes,
}

const NO_THREAD: StoreError = StoreError::NotFound { what: "the thread" };

impl MemoryThreads {
    /// Fails if a thread does not exist.
    pub(super) fn check(&self, principal: &Principal, id: &ThreadId) -> Result<()> {
        self.get(principal, id).map(|_| ())
    }

    pub(super) fn get(&self, principal: &Principal, id: &ThreadId) -> Result<&MemoryThread> {
        let key = (principal.clone(), id.clone());
        let number = self.numbers.get(&key).ok_or(NO_THREAD)?;
        self.threads.get(number).ok_or(NO_THREAD)
    }

    pub(super) fn get_mut(
        &mut self,
        principal: &Principal,
        id: &ThreadId,
    ) -> Result<&mut MemoryThread> {
        let key = (principal.clone(), id.clone());
        let number = self.numbers.get(&key).ok_or(NO_THREAD)?;
        self.threads.get_mut(number).ok_or(NO_THREAD)
    }

    pub(super) fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Returns the threads of a principal with their numbers.
    pub(super) fn of(&self, principal: &Principal) -> impl Iterator<Item = (u64, &MemoryThread)> {
        let all = self.threads.iter().map(|(number, held)| (*number, held));
        all.filter(move |(_, held)| held.principal == *principal)
    }

    /// Returns the agents that a principal has used.
    pub(super) fn agents(
        &self,
        principal: &Principal,
    ) -> impl Iterator<Item = (&String, &MemoryAgent)> {
        self.agents.get(principal).into_iter().flatten()
    }

    pub(super) fn delete_principal(&mut self, principal: &Principal) {
        self.agents.remove(principal);
        self.numbers.retain(|(owner, _), _| owner != principal);
        self.threads.retain(|_, held| held.principal != *principal);
    }

    pub(super) fn begin(&mut self, principal: &Principal, new: NewRun) -> Result<BeginRun> {
        let key = (principal.clone(), new.thread.clone());
        let (thread, run) = (self.next_number(), self.next_number());
        let thread = *self.numbers.entry(key).or_insert(thread);
        let held = self.threads.entry(thread).or_insert_with(|| MemoryThread {
            principal: principal.clone(),
            thread: Thread {
                id: new.thread.clone(),
                agent: new.agent.clone(),
                title: None,
                archived: false,
                parent: new.parent.clone(),
                created: new.started,
                updated: new.started,
            },
            changed: 0,
            runs: Vec::new(),
            log: Vec::new(),
            checkpoint: Checkpoint::default(),
            messages: BTreeMap::new(),
            record: Bytes::new(),
            late_results: Vec::new(),
            records: Vec::new(),
        });
        if let Some(known) = held.runs.iter().find(|known| known.run.id == new.run) {
            if known.input != new.input {
                return Err(StoreError::Conflict {
                    what: "run",
                    id: new.run.to_string(),
                });
            }
            return Ok(BeginRun::Known(known.run.clone()));
        }
        if let Some(last) = held.runs.last()
            && last.run.status == RunStatus::Open
        {
            return Err(StoreError::ThreadBusy {
                run: last.run.id.to_string(),
            });
        }
        let before = (!held.runs.is_empty()).then(|| Box::new(held.stored_state()));
        let after = held.last();
        held.thread.updated = new.started;
        held.runs.push(MemoryRun {
            number: run,
            run: StoredRun {
                id: new.run,
                agent: new.agent,
                status: RunStatus::Open,
                after,
                last: None,
                started: new.started,
                ended: None,
                question: last_user_message(&new.input.value()),
            },
            input: new.input.detached(),
            late_result: held.late_results.last().map_or(0, |last| last.number),
        });
        Ok(BeginRun::New(OpenRun { thread, run, after }, before))
    }

    /// Returns the thread of an open run.
    pub(super) fn open(&mut self, open: OpenRun) -> Result<&mut MemoryThread> {
        let held = self
            .threads
            .get_mut(&open.thread)
            .ok_or(StoreError::NotFound { what: "the run" })?;
        match held.runs.last() {
            Some(last) if last.number == open.run && last.run.status == RunStatus::Open => Ok(held),
            _ => Err(StoreError::RunEnded),
        }
    }
}

impl MemoryThread {
    pub(super) fn last(&self) -> Sequence {
        self.log.last().map_or(0, |stored| stored.last)
    }

    pub(super) fn run(&self, id: &RunId) -> Option<&MemoryRun> {
        self.runs.iter().find(|held| held.run.id == *id)
    }

    pub(super) fn stored_state(&self) -> StoredState {
        let checkpoint = &self.checkpoint;
        let through = checkpoint.through;
        let left_state =
            |held: &&MemoryRun| held.run.last == Some(through) && held.run.after < through;
        let run = self.runs.iter().rfind(left_state);
        StoredState {
            state: checkpoint.state.clone(),
            record: self.record.clone(),
            run: run.map(|held| held.run.clone()),
            through,
            messages: checkpoint.messages.len() as u64,
            late_results: self.fresh_late_results(),
        }
    }

    /// Returns the late results since the last run began.
    pub(super) fn fresh_late_results(&self) -> Vec<StoredLateResult> {
        let sent = self.runs.last().map_or(0, |last| last.late_result);
        let fresh = self.late_results.iter().filter(|fresh| fresh.number > sent);
        fresh.cloned().collect()
    }

    /// Stores the messages that differ from those before, and archives those that are gone.
    pub(super) fn store_messages(
        &mut self,
        before: &[StoredMessage],
        at: Timestamp,
        ontology: &mut MemoryOntology,
    ) {
        let agent = self.runs.last().map(|last| last.run.agent.clone());
        for (position, message) in self.checkpoint.messages.iter().enumerate() {
            let known = before.get(position).map(|before| &before.json);
            if known == Some(&message.json)
                || !ThreadMessage::is_presentable(&message.id, &message.role)
            {
                continue;
            }
            let changed = ontology.next_change(&self.principal);
            let held = self.messages.entry(message.id.clone());
            let held = held.or_insert_with(|| MemoryMessage {
                number: changed,
                changed,
                message: ThreadMessage {
                    thread: self.thread.id.clone(),
                    id: message.id.clone(),
                    role: message.role.clone(),
                    agent: agent.clone().unwrap_or_default(),
                    position: 0,
                    archived: false,
                    created: at,
                    updated: at,
                },
            });
            held.changed = changed;
            held.message.role.clone_from(&message.role);
            held.message.position = position as u64;
            held.message.archived = false;
            held.message.updated = at;
        }
        let messages = self.checkpoint.messages.iter();
        let shown: HashSet<&str> = messages.map(|message| message.id.as_str()).collect();
        for gone in before.iter().filter(|it| !shown.contains(it.id.as_str())) {
            if let Some(held) = self.messages.get_mut(&gone.id)
                && !held.message.archived
            {
                held.changed = ontology.next_change(&self.principal);
                held.message.archived = true;
                held.message.updated = at;
            }
        }
    }

    /// Returns the things that the thread is presented as: its conversation, then its messages ordered by id.
    pub(super) fn removed_things(&self) -> Vec<Thing> {
        let thread = self.thread.id.as_str();
        let conversation = conversation_id(thread);
        let messages = self.messages.keys().map(|id| Thing {
            within: Some(conversation.clone()),
            ..derived::removed(&self.principal, "message", message_id(thread, id))
        });
        let whole = derived::removed(&self.principal, "conversation", conversation.clone());
        std::iter::once(whole).chain(messages).collect()
    }

    pub(super) fn events(&self, after: Sequence, limit: usize) -> Result<LogPage> {
        let first = self.log.partition_point(|stored| stored.last <= after);
        let mut remaining = limit.max(1);
        let mut chunks = Vec::new();
        for stored in &self.log[first..] {
            if remaining == 0 {
                break;
            }
            let bytes = stored.bytes.clone();
            let chunk = StoredEvents::cut(bytes, stored.count, stored.last, after, remaining)
                .ok_or_else(|| StoreError::corrupt("a row of the log"))?;
            remaining -= chunk.len();
            chunks.push(chunk);
        }
        Ok(LogPage {
            chunks,
            last: self.last(),
        })
    }
}

/// Appends to an open run. Returns the sequence of the first event.
pub(super) fn append(
    state: &mut MemoryState,
    run: OpenRun,
    appended: CheckedBatch,
) -> Result<Sequence> {
    let held = state.threads.open(run)?;
    let (principal, thread) = (&held.principal, &held.thread.id);
    let evidence = &mut state.evidence;
    evidence.insert(principal, Some(thread), appended.verifications);
    let before = held.last();
    if appended.count > 0 {
        held.log.push(MemoryLogEntry {
            last: before + u64::from(appended.count),
            count: appended.count,
            bytes: appended.bytes.into(),
        });
    }
    Ok(before + 1)
}
