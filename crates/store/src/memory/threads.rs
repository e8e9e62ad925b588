//! Threads in memory.

use std::collections::{BTreeMap, HashMap, HashSet};

use bytes::Bytes;
use json::Json;

use super::ontology::DueUpdate;
use super::{MemoryStore, newest_first};
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{Principal, RunId, Sequence, ThreadId, Timestamp};
use crate::log::{CheckedBatch, LogBatch, LogPage, StoredEvents};
use crate::ontology::conversation_id;
use crate::paging::{Listing, PageRequest};
use crate::projection::{self, ConversationChange};
use crate::threads::{
    BeginRun, Checkpoint, MessagePage, NewRun, OpenRun, RunStatus, StoredLateResult, StoredMessage,
    StoredRun, StoredRunEnd, StoredState, Thread, ThreadChange, ThreadStore, UnfinishedRun,
    last_user_message,
};

#[derive(Default)]
pub(super) struct MemoryThreads {
    numbers: BTreeMap<(Principal, ThreadId), u64>,
    threads: HashMap<u64, MemoryThread>,
    /// The numbers given so far, to threads, runs and amendments.
    given: u64,
}

struct MemoryThread {
    principal: Principal,
    thread: Thread,
    runs: Vec<MemoryRun>,
    log: Vec<MemoryLogEntry>,
    checkpoint: Checkpoint,
    /// What is kept beside the state.
    record: Bytes,
    late_results: Vec<StoredLateResult>,
}

struct MemoryRun {
    number: u64,
    run: StoredRun,
    input: Json,
    /// The last amendment when it began.
    amended: u64,
}

struct MemoryLogEntry {
    last: Sequence,
    count: u32,
    bytes: Bytes,
}

const NO_THREAD: StoreError = StoreError::NotFound { what: "the thread" };

impl MemoryThreads {
    /// Whether a thread is there.
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

    fn next(&mut self) -> u64 {
        self.given += 1;
        self.given
    }

    pub(super) fn forget(&mut self, principal: &Principal) {
        self.numbers.retain(|(owner, _), _| owner != principal);
        self.threads.retain(|_, held| held.principal != *principal);
    }

    fn begin(&mut self, principal: &Principal, new: NewRun) -> Result<BeginRun> {
        let key = (principal.clone(), new.thread.clone());
        let (thread, run) = (self.next(), self.next());
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
            runs: Vec::new(),
            log: Vec::new(),
            checkpoint: Checkpoint::default(),
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
            amended: held.late_results.last().map_or(0, |last| last.number),
        });
        Ok(BeginRun::New(OpenRun { thread, run, after }, before))
    }

    /// The thread and the run, if the run is open.
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
        let has_left =
            |held: &&MemoryRun| held.run.last == Some(through) && held.run.after < through;
        let left = self.runs.iter().rfind(has_left);
        StoredState {
            state: checkpoint.state.clone(),
            record: self.record.clone(),
            run: left.map(|held| held.run.clone()),
            through,
            messages: checkpoint.messages.len() as u64,
            late_results: self.fresh_late_results(),
        }
    }

    /// What was amended since the last run began.
    fn fresh_late_results(&self) -> Vec<StoredLateResult> {
        let told = self.runs.last().map_or(0, |last| last.amended);
        let fresh = self.late_results.iter().filter(|fresh| fresh.number > told);
        fresh.cloned().collect()
    }

    fn events(&self, after: Sequence, limit: usize) -> Result<LogPage> {
        let first = self.log.partition_point(|stored| stored.last <= after);
        let mut left = limit.max(1);
        let mut chunks = Vec::new();
        for stored in &self.log[first..] {
            if left == 0 {
                break;
            }
            let bytes = stored.bytes.clone();
            let chunk = StoredEvents::cut(bytes, stored.count, stored.last, after, left)
                .ok_or_else(|| StoreError::corrupt("a piece of the log"))?;
            left -= chunk.len();
            chunks.push(chunk);
        }
        Ok(LogPage {
            chunks,
            last: self.last(),
        })
    }
}

/// What is another conversation now than it was before.
fn changed(before: &[StoredMessage], now: &[StoredMessage]) -> ConversationChange {
    let mut changed = ConversationChange::default();
    for (position, message) in now.iter().enumerate() {
        let known = before.get(position).map(|before| &before.json);
        if known != Some(&message.json) {
            let (id, role) = (message.id.clone(), message.role.clone());
            changed.kept.push((position, id, role));
        }
    }
    let shown: HashSet<&str> = now.iter().map(|message| message.id.as_str()).collect();
    let gone = before
        .iter()
        .filter(|before| !shown.contains(before.id.as_str()));
    changed.hidden.extend(gone.map(|before| before.id.clone()));
    changed
}

/// Appends to an open run, and gives the sequence of the first event.
fn append(
    state: &mut super::MemoryState,
    run: OpenRun,
    appended: CheckedBatch,
) -> Result<Sequence> {
    let held = state.threads.open(run)?;
    let (principal, thread) = (&held.principal, &held.thread.id);
    let evidence = &mut state.evidence;
    evidence.keep(principal, Some(thread), appended.verifications);
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
            state.principals.insert(principal.clone());
            let (id, run_id) = (run.thread.clone(), run.run.clone());
            let (agent, at) = (run.agent.clone(), run.started);
            let begun = state.threads.begin(principal, run)?;
            if matches!(begun, BeginRun::New(..)) {
                let due = DueUpdate {
                    principal: principal.clone(),
                    thread: state.threads.get(principal, &id)?.thread.clone(),
                    run: run_id,
                    agent,
                    at,
                    ended: None,
                };
                state.ontology.later(due, &self.notifier);
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
            let held = match state.threads.open(run) {
                Err(StoreError::NotFound { .. }) => return Err(StoreError::RunEnded),
                open => open?,
            };
            let last = held.last();
            held.thread.updated = at;
            let Some(ended) = held.runs.last_mut() else {
                return Err(StoreError::RunEnded);
            };
            ended.run.status = status;
            ended.run.last = Some(last);
            ended.run.ended = Some(at);
            let changed = match checkpoint {
                Some(mut checkpoint) => {
                    let kept = checkpoint.record.take();
                    held.record = kept.unwrap_or_else(|| std::mem::take(&mut held.record));
                    let before = std::mem::replace(&mut held.checkpoint, checkpoint);
                    changed(&before.messages, &held.checkpoint.messages)
                }
                None => ConversationChange::default(),
            };
            let due = DueUpdate {
                principal: held.principal.clone(),
                thread: held.thread.clone(),
                run: ended.run.id.clone(),
                agent: ended.run.agent.clone(),
                at,
                ended: Some((status, changed)),
            };
            state.ontology.later(due, &self.notifier);
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

    fn threads(&self, principal: &Principal, slice: &PageRequest) -> StoreFuture<Listing<Thread>> {
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
                slice.place()?.as_ref(),
                slice.bounded(),
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
            let ontology = state.ontology.written(&self.notifier);
            let mut owner = ontology.owner(principal, at, &self.notifier);
            owner.keep(projection::conversation(principal, &held.thread));
            Ok(held.thread.clone())
        })
    }

    fn delete_thread(&self, principal: &Principal, thread: &ThreadId) -> StoreFuture<bool> {
        self.with(|state| {
            let Ok(held) = state.threads.get(principal, thread) else {
                return Ok(false);
            };
            let at = held.thread.updated;
            let ontology = state.ontology.written(&self.notifier);
            let mut owner = ontology.owner(principal, at, &self.notifier);
            owner.remove(&conversation_id(thread.as_str()));
            state.evidence.forget_thread(principal, thread);
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
        slice: &PageRequest,
    ) -> StoreFuture<Listing<StoredRun>> {
        self.with(|state| {
            let held = state.threads.get(principal, thread)?;
            let after = slice.number()?.unwrap_or(0).unsigned_abs();
            let limit = slice.bounded();
            let items: Vec<&MemoryRun> = held
                .runs
                .iter()
                .filter(|held| held.number > after)
                .take(limit + 1)
                .collect();
            let place = |item: &&MemoryRun| (i64::try_from(item.number).unwrap_or(0), "");
            Ok(Listing::cut(items, limit, place).map(|item| item.run.clone()))
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
            // Written from the tree, as every implementation gives it.
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
            let number = state.threads.next();
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
