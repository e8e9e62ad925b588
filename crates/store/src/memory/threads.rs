//! Threads in memory.

use std::collections::{BTreeMap, HashMap, HashSet};

use bytes::Bytes;
use json::Json;

use super::ontology::MemoryOntology;
use super::{MemoryStore, newest_first};
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{Principal, RunId, Sequence, ThreadId, Timestamp};
use crate::log::{CheckedBatch, LogBatch, LogPage, StoredEvents};
use crate::ontology::derived::{self, ThreadMessage};
use crate::ontology::{Thing, conversation_id, message_id};
use crate::paging::{Listing, PageRequest};
use crate::threads::{
    BeginRun, Checkpoint, MessagePage, NewRun, OpenRun, RunStatus, StoredLateResult, StoredMessage,
    StoredRun, StoredRunEnd, StoredState, Thread, ThreadChange, ThreadStore, UnfinishedRun,
    last_user_message,
};

#[derive(Default)]
pub(super) struct MemoryThreads {
    numbers: BTreeMap<(Principal, ThreadId), u64>,
    threads: HashMap<u64, MemoryThread>,
    agents: BTreeMap<Principal, BTreeMap<String, MemoryAgent>>,
    /// Last number of a thread, run or late result.
    last_number: u64,
}

/// Agent that a principal has used.
pub(super) struct MemoryAgent {
    pub(super) created: Timestamp,
    pub(super) changed: u64,
}

pub(super) struct MemoryThread {
    principal: Principal,
    pub(super) thread: Thread,
    /// Number of the last change of the thread as a thing.
    pub(super) changed: u64,
    pub(super) runs: Vec<MemoryRun>,
    log: Vec<MemoryLogEntry>,
    checkpoint: Checkpoint,
    /// Every message that the thread has or had, by id.
    pub(super) messages: BTreeMap<String, MemoryMessage>,
    /// Citation record.
    record: Bytes,
    late_results: Vec<StoredLateResult>,
}

/// Message that is or was part of the conversation.
pub(super) struct MemoryMessage {
    pub(super) number: u64,
    pub(super) changed: u64,
    pub(super) message: ThreadMessage,
}

pub(super) struct MemoryRun {
    pub(super) number: u64,
    pub(super) run: StoredRun,
    input: Json,
    /// Number of the last late result when it began.
    late_result: u64,
}

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

    fn get(&self, principal: &Principal, id: &ThreadId) -> Result<&MemoryThread> {
        let key = (principal.clone(), id.clone());
        let number = self.numbers.get(&key).ok_or(NO_THREAD)?;
        self.threads.get(number).ok_or(NO_THREAD)
    }

    fn get_mut(&mut self, principal: &Principal, id: &ThreadId) -> Result<&mut MemoryThread> {
        let key = (principal.clone(), id.clone());
        let number = self.numbers.get(&key).ok_or(NO_THREAD)?;
        self.threads.get_mut(number).ok_or(NO_THREAD)
    }

    fn next_number(&mut self) -> u64 {
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

    fn begin(&mut self, principal: &Principal, new: NewRun) -> Result<BeginRun> {
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
    fn open(&mut self, open: OpenRun) -> Result<&mut MemoryThread> {
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
    fn last(&self) -> Sequence {
        self.log.last().map_or(0, |stored| stored.last)
    }

    fn run(&self, id: &RunId) -> Option<&MemoryRun> {
        self.runs.iter().find(|held| held.run.id == *id)
    }

    fn stored_state(&self) -> StoredState {
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
    fn fresh_late_results(&self) -> Vec<StoredLateResult> {
        let sent = self.runs.last().map_or(0, |last| last.late_result);
        let fresh = self.late_results.iter().filter(|fresh| fresh.number > sent);
        fresh.cloned().collect()
    }

    /// Stores the messages that differ from those before, and archives those that are gone.
    fn store_messages(
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
    fn removed_things(&self) -> Vec<Thing> {
        let thread = self.thread.id.as_str();
        let conversation = conversation_id(thread);
        let messages = self.messages.keys().map(|id| Thing {
            within: Some(conversation.clone()),
            ..derived::removed(&self.principal, "message", message_id(thread, id))
        });
        let whole = derived::removed(&self.principal, "conversation", conversation.clone());
        std::iter::once(whole).chain(messages).collect()
    }

    fn events(&self, after: Sequence, limit: usize) -> Result<LogPage> {
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
fn append(
    state: &mut super::MemoryState,
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

impl ThreadStore for MemoryStore {
    fn pending_writes(&self) -> usize {
        0
    }

    fn begin_run(&self, principal: &Principal, run: NewRun) -> StoreFuture<BeginRun> {
        self.with(|state| {
            run.check()?;
            state.add_principal(principal, run.started);
            let (thread, agent, at) = (run.thread.clone(), run.agent.clone(), run.started);
            let begun = state.threads.begin(principal, run)?;
            if matches!(begun, BeginRun::New(..)) {
                let (threads, ontology) = (&mut state.threads, &mut state.ontology);
                let agents = threads.agents.entry(principal.clone()).or_default();
                agents.entry(agent).or_insert_with(|| MemoryAgent {
                    created: at,
                    changed: ontology.next_change(principal),
                });
                let held = threads.get_mut(principal, &thread)?;
                held.changed = ontology.next_change(principal);
            }
            Ok(begun)
        })
    }

    fn append(&self, run: OpenRun, batch: LogBatch) -> StoreFuture<Sequence> {
        self.with(|state| append(state, run, batch.checked_events()?))
    }

    fn end_run(&self, run: OpenRun, end: StoredRunEnd) -> StoreFuture<()> {
        self.with(|state| {
            end.check()?;
            let (status, at, checkpoint) = (end.status, end.at, end.checkpoint);
            let last = end.last.checked()?;
            if !last.is_empty() {
                append(state, run, last)?;
            }
            let (threads, ontology) = (&mut state.threads, &mut state.ontology);
            let held = match threads.open(run) {
                Err(StoreError::NotFound { .. }) => return Err(StoreError::RunEnded),
                open => open?,
            };
            let last = held.last();
            let Some(ended) = held.runs.last_mut() else {
                return Err(StoreError::RunEnded);
            };
            ended.run.status = status;
            ended.run.last = Some(last);
            ended.run.ended = Some(at);
            held.thread.updated = at;
            held.changed = ontology.next_change(&held.principal);
            if let Some(mut checkpoint) = checkpoint {
                let record = checkpoint.record.take();
                held.record = record.unwrap_or_else(|| std::mem::take(&mut held.record));
                let before = std::mem::replace(&mut held.checkpoint, checkpoint);
                held.store_messages(&before.messages, at, ontology);
            }
            Ok(())
        })
    }

    fn unfinished_runs(&self) -> StoreFuture<Vec<UnfinishedRun>> {
        self.with(|state| {
            let mut unfinished: Vec<UnfinishedRun> = state
                .threads
                .threads
                .iter()
                .filter_map(|(thread, held)| {
                    let last = held.runs.last()?;
                    (last.run.status == RunStatus::Open).then(|| UnfinishedRun {
                        principal: held.principal.clone(),
                        thread: held.thread.id.clone(),
                        run: last.run.clone(),
                        open: OpenRun {
                            thread: *thread,
                            run: last.number,
                            after: last.run.after,
                        },
                    })
                })
                .collect();
            unfinished.sort_by_key(|unfinished| unfinished.open.run);
            Ok(unfinished)
        })
    }

    fn events(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        after: Sequence,
        limit: usize,
    ) -> StoreFuture<LogPage> {
        self.with(|state| state.threads.get(principal, thread)?.events(after, limit))
    }

    fn thread(&self, principal: &Principal, id: &ThreadId) -> StoreFuture<Option<Thread>> {
        self.with(|state| {
            let held = state.threads.get(principal, id).ok();
            Ok(held.map(|held| held.thread.clone()))
        })
    }

    fn threads(&self, principal: &Principal, page: &PageRequest) -> StoreFuture<Listing<Thread>> {
        self.with(|state| {
            let items = state
                .threads
                .threads
                .values()
                .filter(|held| held.principal == *principal)
                .map(|held| held.thread.clone())
                .collect();
            Ok(newest_first(
                items,
                page.position()?.as_ref(),
                page.bounded_limit(),
                |item: &Thread| (item.updated.0, item.id.to_string()),
            ))
        })
    }

    fn change_thread(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        change: ThreadChange,
        at: Timestamp,
    ) -> StoreFuture<Thread> {
        self.with(|state| {
            change.check()?;
            let held = state.threads.get_mut(principal, thread)?;
            if let Some(title) = change.title {
                held.thread.title = Some(title).filter(|title| !title.is_empty());
            }
            held.thread.archived = change.archived.unwrap_or(held.thread.archived);
            held.thread.updated = at;
            held.changed = state.ontology.next_change(principal);
            Ok(held.thread.clone())
        })
    }

    fn delete_thread(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<bool> {
        self.with(|state| {
            let Ok(held) = state.threads.get(principal, thread) else {
                return Ok(false);
            };
            let removed = held.removed_things();
            state.ontology.remove_things(principal, removed);
            state.evidence.delete_thread(principal, thread);
            let state = &mut state.threads;
            let key = (principal.clone(), thread.clone());
            let number = state.numbers.remove(&key);
            Ok(number.is_some_and(|number| state.threads.remove(&number).is_some()))
        })
    }

    fn run(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
    ) -> StoreFuture<Option<StoredRun>> {
        self.with(|state| {
            let held = state.threads.get(principal, thread)?;
            Ok(held.run(run).map(|held| held.run.clone()))
        })
    }

    fn last_run(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<Option<StoredRun>> {
        self.with(|state| {
            let held = state.threads.get(principal, thread)?;
            Ok(held.runs.last().map(|held| held.run.clone()))
        })
    }

    fn runs(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        page: &PageRequest,
    ) -> StoreFuture<Listing<StoredRun>> {
        self.with(|state| {
            let held = state.threads.get(principal, thread)?;
            let after = page.number()?.unwrap_or(0).unsigned_abs();
            let limit = page.bounded_limit();
            let items: Vec<&MemoryRun> = held
                .runs
                .iter()
                .filter(|held| held.number > after)
                .take(limit + 1)
                .collect();
            let position = |item: &&MemoryRun| (i64::try_from(item.number).unwrap_or(0), "");
            Ok(Listing::from_surplus(items, limit, position).map(|item| item.run.clone()))
        })
    }

    fn input(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
    ) -> StoreFuture<Option<Bytes>> {
        self.with(|state| {
            let held = state.threads.get(principal, thread)?;
            // Written from the parsed value, as in the other implementation.
            let input = |held: &MemoryRun| held.input.value().to_json().into();
            Ok(held.run(run).map(input))
        })
    }

    fn state(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<StoredState> {
        self.with(|state| {
            let held = state.threads.get(principal, thread)?;
            Ok(held.stored_state())
        })
    }

    fn messages(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        before: Option<u64>,
        limit: usize,
    ) -> StoreFuture<MessagePage> {
        self.with(|state| {
            let messages = &state.threads.get(principal, thread)?.checkpoint.messages;
            let end = before
                .and_then(|before| usize::try_from(before).ok())
                .map_or(messages.len(), |before| before.min(messages.len()));
            let start = end.saturating_sub(limit);
            Ok(MessagePage {
                first: if start == end { 0 } else { start as u64 },
                messages: messages[start..end].to_vec(),
            })
        })
    }

    fn add_late_result(
        &self,
        principal: &Principal,
        thread: &ThreadId,
        run: &RunId,
        patch: Bytes,
        record: Option<Bytes>,
        at: Timestamp,
    ) -> StoreFuture<u64> {
        self.with(|state| {
            let number = state.threads.next_number();
            let held = state.threads.get_mut(principal, thread)?;
            if held.run(run).is_none() {
                return Err(StoreError::NotFound { what: "the run" });
            }
            held.record = record.unwrap_or_else(|| std::mem::take(&mut held.record));
            held.late_results.push(StoredLateResult {
                number,
                run: run.clone(),
                patch,
                at,
            });
            Ok(number)
        })
    }

    fn late_results(
        &self,
        principal: &Principal,
        thread: &ThreadId,
    ) -> StoreFuture<Vec<StoredLateResult>> {
        self.with(|state| Ok(state.threads.get(principal, thread)?.fresh_late_results()))
    }
}
