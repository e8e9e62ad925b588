//! Threads in memory.

use bytes::Bytes;

use super::thread_state::{MemoryAgent, MemoryRun, append};
use super::{MemoryStore, newest_first};
use crate::error::StoreError;
use crate::future::StoreFuture;
use crate::ids::{Principal, RunId, Sequence, ThreadId, Timestamp};
use crate::log::{LogBatch, LogPage};
use crate::paging::{Listing, PageRequest};
use crate::threads::{
    BeginRun, MessagePage, NewRun, OpenRun, RunStatus, StoredLateResult, StoredRun, StoredRunEnd,
    StoredState, Thread, ThreadChange, ThreadStore, UnfinishedRun,
};

impl ThreadStore for MemoryStore {
    fn pending_writes(&self) -> usize {
        0
    }

    fn check_writable(&self) -> StoreFuture<()> {
        StoreFuture::ready(Ok(()))
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
