//! The ontology's view of threads, messages, documents, agents and runs in memory.

use super::MemoryState;
use crate::ids::{Principal, Timestamp};
use crate::ontology::{OntologyEvent, Thing, ThingConnection, derived};

/// Bits of a record's key that hold its number. The bits above hold the rank of its source.
const NUMBER_BITS: u32 = 56;

/// Record of a list, with the key that orders records of one time.
pub(super) struct ListedRecord<T> {
    pub(super) time: Timestamp,
    pub(super) key: i64,
    pub(super) record: T,
}

impl<T> ListedRecord<T> {
    pub(super) fn new(time: Timestamp, rank: u64, number: u64, record: T) -> Self {
        let key = i64::try_from(rank << NUMBER_BITS | number).unwrap_or(i64::MAX);
        Self { time, key, record }
    }
}

/// Thing with the number of its last change.
pub(super) struct ChangedThing {
    pub(super) changed: u64,
    pub(super) thing: Thing,
}

impl MemoryState {
    /// Returns the derived things of a principal.
    pub(super) fn derived_things(&self, principal: &Principal) -> Vec<ListedRecord<ChangedThing>> {
        let mut things = Vec::new();
        let mut add = |rank, number, changed, thing: Thing| {
            let (time, record) = (thing.created, ChangedThing { changed, thing });
            things.push(ListedRecord::new(time, rank, number, record));
        };
        for (number, held) in self.threads.of(principal) {
            let conversation = derived::conversation(principal, &held.thread);
            add(1, number, held.changed, conversation);
            for message in held.messages.values() {
                let thing = message.message.thing(principal);
                add(2, message.number, message.changed, thing);
            }
        }
        for (number, changed, attachment) in self.documents.latest_attachments(principal) {
            let thing = derived::document(principal, &attachment.name, &attachment.document);
            add(3, number, changed, thing);
        }
        for (name, agent) in self.threads.agents(principal) {
            let thing = derived::agent(principal, name, agent.created);
            add(4, agent.changed, agent.changed, thing);
        }
        things
    }

    /// Returns the derived connections of a principal.
    pub(super) fn derived_connections(
        &self,
        principal: &Principal,
    ) -> Vec<ListedRecord<ThingConnection>> {
        let messages = self
            .threads
            .of(principal)
            .flat_map(|(_, held)| held.messages.values());
        messages
            .flat_map(|held| {
                let (message, number) = (&held.message, held.number);
                [
                    (1, message.belongs_to(principal)),
                    (2, message.sent_by(principal)),
                ]
                .map(|(rank, connection)| {
                    ListedRecord::new(message.created, rank, number, connection)
                })
            })
            .collect()
    }

    /// Returns the derived events of a principal.
    pub(super) fn derived_events(&self, principal: &Principal) -> Vec<ListedRecord<OntologyEvent>> {
        let mut events = Vec::new();
        let mut add = |rank, number, event: OntologyEvent| {
            events.push(ListedRecord::new(event.at, rank, number, event));
        };
        for (_, held) in self.threads.of(principal) {
            let thread = &held.thread.id;
            for run in &held.runs {
                let started = derived::run_started(principal, thread, &run.run);
                add(1, run.number, started);
                if let Some(ended) = derived::run_ended(principal, thread, &run.run) {
                    add(2, run.number, ended);
                }
            }
            for message in held.messages.values() {
                add(3, message.number, message.message.sent(principal));
            }
        }
        events
    }
}
