//! The ontology in SQLite: writing records, and live queries.

use std::sync::Arc;

use rusqlite::{Connection as Database, OptionalExtension, params};

use super::documents::principal_number;
use super::due;
use super::ontology_rows::{self, ListConditions};
use super::writer::JobKind;
use super::writer::WriteContext;
use super::{SqliteStore, read_with, write_with};
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::{Principal, Timestamp};
use crate::ontology::{
    ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, Ontology, OntologyEvent, OntologyGroup,
    OntologyRecord, Person, QueryChange, QueryCursor, Thing, ThingConnection, ThingQuery,
};
use crate::paging::{Listing, PageRequest};
use crate::projection;

impl Ontology for SqliteStore {
    fn put(&self, principal: &Principal, records: Vec<OntologyRecord>) -> StoreFuture<()> {
        for record in &records {
            if let Err(invalid) = record.check() {
                return StoreFuture::ready(Err(invalid));
            }
        }
        let principal = principal.clone();
        self.write(move |writing| {
            let Some(first) = records.first() else {
                return Ok(());
            };
            let owner = OntologyOwner::new(writing, &principal, first.time())?;
            for record in &records {
                owner.put(writing, record)?;
            }
            Ok(())
        })
    }

    fn groups(&self, principal: &Principal) -> StoreFuture<Vec<OntologyGroup>> {
        self.read_own(principal, Vec::new, |database, owner| {
            database
                .prepare_cached(ontology_rows::SELECT_GROUPS)?
                .query_and_then([owner], ontology_rows::group)?
                .collect()
        })
    }

    fn people(&self, principal: &Principal, group: &str) -> StoreFuture<Vec<Person>> {
        let group = group.to_owned();
        self.read_own(principal, Vec::new, move |database, owner| {
            database
                .prepare_cached(ontology_rows::SELECT_PEOPLE)?
                .query_and_then(params![owner, group], ontology_rows::person)?
                .collect()
        })
    }

    fn thing(&self, principal: &Principal, id: &str) -> StoreFuture<Option<Thing>> {
        let id = id.to_owned();
        self.read_own(
            principal,
            || None,
            move |database, owner| {
                let found = thing(database, owner, &id)?;
                Ok(found.filter(|thing| thing.deleted.is_none()))
            },
        )
    }

    fn things(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<Thing>> {
        let (whose, query, slice) = (principal.clone(), query.clone(), slice.clone());
        self.read_own(principal, none, move |database, owner| {
            let mut conditions = ListConditions::new(owner);
            conditions.of_things(&whose, &query);
            conditions.in_status(&query);
            conditions.raw("deleted IS NULL");
            conditions.newest(database, &ontology_rows::THINGS, &slice)
        })
    }

    fn connections(
        &self,
        principal: &Principal,
        query: &ConnectionQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<ThingConnection>> {
        let (whose, query, slice) = (principal.clone(), query.clone(), slice.clone());
        self.read_own(principal, none, move |database, owner| {
            let mut conditions = ListConditions::new(owner);
            let narrow = query.from.is_some() || query.to.is_some();
            conditions.in_group(&whose, query.group.as_ref(), narrow);
            conditions.equal("source", query.from.as_ref());
            let target = if query.from.is_some() {
                "+target"
            } else {
                "target"
            };
            conditions.equal(target, query.to.as_ref());
            conditions.equal("kind", query.kind.as_ref());
            if let Some(at) = query.valid_at {
                conditions.with("coalesce(valid_from, ?) <= ?", [at.0, at.0]);
                conditions.with("(valid_to IS NULL OR valid_to > ?)", [at.0]);
            }
            conditions.raw("deleted IS NULL");
            conditions.newest(database, &ontology_rows::CONNECTIONS, &slice)
        })
    }

    fn ontology_events(
        &self,
        principal: &Principal,
        query: &EventQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<OntologyEvent>> {
        let (whose, query, slice) = (principal.clone(), query.clone(), slice.clone());
        self.read_own(principal, none, move |database, owner| {
            let mut conditions = ListConditions::new(owner);
            let narrow = query.actor.is_some() || query.target.is_some();
            conditions.in_group(&whose, query.group.as_ref(), narrow);
            conditions.equal("kind", query.kind.as_ref());
            let actor = if query.target.is_some() {
                "+actor"
            } else {
                "actor"
            };
            conditions.equal(actor, query.actor.as_ref());
            conditions.equal("target", query.target.as_ref());
            conditions.newest(database, &ontology_rows::EVENTS, &slice)
        })
    }

    fn knowledge(
        &self,
        principal: &Principal,
        query: &KnowledgeQuery,
        slice: &PageRequest,
    ) -> StoreFuture<Listing<Knowledge>> {
        let (query, slice) = (query.clone(), slice.clone());
        self.read_own(principal, none, move |database, owner| {
            let mut conditions = ListConditions::new(owner);
            conditions.equal("grp", query.group.as_ref());
            conditions.equal("kind", query.kind.as_ref());
            conditions.equal("source", query.source.as_ref());
            if let Some(thing) = query.thing {
                conditions.known_of(thing);
            }
            conditions.raw("deleted IS NULL");
            conditions.newest(database, &ontology_rows::KNOWLEDGE, &slice)
        })
    }

    fn changes(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        after: u64,
        limit: usize,
    ) -> StoreFuture<QueryCursor> {
        let query = query.clone();
        let principal = principal.clone();
        self.read_current(move |database| {
            let now = change_count(database)?;
            let owner = number(database, &principal)?;
            // A principal that is not known has no number, and no things.
            let mut conditions = ListConditions::new(owner.unwrap_or(-1));
            conditions.of_things(&principal, &query);
            conditions.with("changed > ?", [i64::try_from(after).unwrap_or(i64::MAX)]);
            if after == 0 {
                conditions.in_status(&query);
                conditions.raw("deleted IS NULL");
            }
            let limit = limit.clamp(1, 100_000);
            let mut things = conditions.changed(database, limit + 1)?;
            let more = things.len() > limit;
            things.truncate(limit);
            let at = match things.last() {
                Some((_, changed)) if more => *changed,
                _ => now.max(after),
            };
            let change = |(thing, _): (Thing, u64)| {
                if query.matches(&thing) {
                    QueryChange::Put(thing)
                } else {
                    QueryChange::Removed { id: thing.id }
                }
            };
            let changes = things.into_iter().map(change).collect();
            Ok(QueryCursor { changes, at, more })
        })
    }

    fn changed(&self, principal: &Principal, after: u64) -> StoreFuture<u64> {
        self.notifier.wait(principal, after, || {
            self.read_own(
                principal,
                || 0,
                |database, owner| {
                    let last: Option<i64> = database
                        .prepare_cached("SELECT max(changed) FROM things WHERE principal = ?1")?
                        .query_row([owner], |row| row.get(0))?;
                    Ok(last.map_or(0, i64::unsigned_abs))
                },
            )
        })
    }
}

fn none<T>() -> Listing<T> {
    Listing {
        items: Vec::new(),
        next: None,
    }
}

impl SqliteStore {
    /// Reads something of a principal's; of one that is not known, nothing.
    fn read_own<T, F>(
        &self,
        principal: &Principal,
        nothing: impl FnOnce() -> T + Send + 'static,
        work: F,
    ) -> StoreFuture<T>
    where
        T: Send + Unpin + 'static,
        F: FnOnce(&Database, i64) -> Result<T> + Send + 'static,
    {
        let principal = principal.clone();
        self.read_current(move |database| match number(database, &principal)? {
            Some(owner) => work(database, owner),
            None => Ok(nothing()),
        })
    }

    /// Reads the ontology, once what is due is written.
    fn read_current<T, F>(&self, work: F) -> StoreFuture<T>
    where
        T: Send + Unpin + 'static,
        F: FnOnce(&Database) -> Result<T> + Send + 'static,
    {
        let (reads, writes) = (Arc::clone(&self.reads), Arc::clone(&self.writes));
        let first = read_with(&reads, move |database| {
            Ok(match due::is_any(database)? {
                true => Err(Box::new(work)),
                false => Ok(work(database)?),
            })
        });
        StoreFuture::running(async move {
            match first.await? {
                Ok(value) => Ok(value),
                Err(work) => {
                    write_with(&writes, JobKind::RUN, due::catch_up).await?;
                    read_with(&reads, work).await
                }
            }
        })
    }
}

fn number(database: &Database, principal: &Principal) -> Result<Option<i64>> {
    Ok(database
        .prepare_cached("SELECT number FROM principals WHERE id = ?1")?
        .query_row([principal.as_str()], |row| row.get(0))
        .optional()?)
}

pub(super) fn change_count(database: &Database) -> Result<u64> {
    let mut statement = database.prepare_cached("SELECT count FROM change_count")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// The number of the next change.
fn next_change(database: &Database) -> Result<u64> {
    let mut statement =
        database.prepare_cached("UPDATE change_count SET count = count + 1 RETURNING count")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

/// So many changes there are now.
pub(super) fn set_change_count(database: &Database, count: u64) -> Result<()> {
    let mut statement = database.prepare_cached("UPDATE change_count SET count = ?1")?;
    statement.execute([count])?;
    Ok(())
}

/// A thing of a principal, deleted or not.
pub(super) fn thing(database: &Database, owner: i64, id: &str) -> Result<Option<Thing>> {
    database
        .prepare_cached(ontology_rows::SELECT_THING)?
        .query_and_then(params![owner, id], ontology_rows::thing)?
        .next()
        .transpose()
}

/// A principal whose part of the ontology is written.
pub(super) struct OntologyOwner<'a> {
    pub(super) principal: &'a Principal,
    pub(super) number: i64,
}

impl<'a> OntologyOwner<'a> {
    /// The principal, with everything written that is due.
    pub(super) fn new(
        writing: &mut WriteContext<'_>,
        principal: &'a Principal,
        at: Timestamp,
    ) -> Result<Self> {
        due::catch_up(writing)?;
        Self::current(writing.connection, principal, at)
    }

    /// The principal with its own group, which is made if need be; something may be due.
    pub(super) fn current(
        database: &Database,
        principal: &'a Principal,
        at: Timestamp,
    ) -> Result<Self> {
        let number = principal_number(database, principal)?;
        let owner = Self { principal, number };
        if !owner.has_group(database, principal.as_str())? {
            for record in projection::root(principal, at) {
                ontology_rows::insert(database, number, &record)?;
            }
        }
        Ok(owner)
    }

    fn has_group(&self, database: &Database, id: &str) -> Result<bool> {
        Ok(database
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM groups WHERE principal = ?1 AND id = ?2)",
            )?
            .query_row(params![self.number, id], |row| row.get(0))?)
    }

    fn slug_is_taken(&self, database: &Database, group: &OntologyGroup) -> Result<bool> {
        Ok(database
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM groups WHERE principal = ?1 AND slug = ?2 AND id <> ?3)",
            )?
            .query_row(params![self.number, group.slug, group.id], |row| row.get(0))?)
    }

    /// Writes a record.
    pub(super) fn put(
        &self,
        writing: &mut WriteContext<'_>,
        record: &OntologyRecord,
    ) -> Result<()> {
        if let Some(group) = record.group()
            && !self.has_group(writing.connection, group)?
        {
            return Err(StoreError::NotFound { what: "the group" });
        }
        match record {
            OntologyRecord::Thing(thing) => self.put_thing(writing, thing),
            OntologyRecord::Group(group) if self.slug_is_taken(writing.connection, group)? => {
                Err(StoreError::Conflict {
                    what: "group",
                    id: group.slug.clone(),
                })
            }
            _ => ontology_rows::insert(writing.connection, self.number, record),
        }
    }

    fn put_thing(&self, writing: &mut WriteContext<'_>, new: &Thing) -> Result<()> {
        if let Some(before) = thing(writing.connection, self.number, &new.id)? {
            new.check_succeeds(&before)?;
        }
        let changed = next_change(writing.connection)?;
        ontology_rows::insert_thing(writing.connection, self.number, new, changed)?;
        writing.changed(self.principal, changed);
        Ok(())
    }

    /// Writes a thing that the store keeps itself: it stays as old as it is.
    pub(super) fn keep(&self, writing: &mut WriteContext<'_>, new: Thing) -> Result<()> {
        let before = thing(writing.connection, self.number, &new.id)?;
        let created = match &before {
            Some(before) if before.deleted.is_none() => before.created,
            _ => new.created,
        };
        let new = Thing { created, ..new };
        if before.as_ref() == Some(&new) {
            return Ok(());
        }
        self.put_thing(writing, &new)
    }

    /// Deletes a thing and all that is part of it, with what relates to them. That they were stays.
    pub(super) fn remove(&self, writing: &mut WriteContext<'_>, id: &str) -> Result<()> {
        let mut parts: Vec<Thing> = writing
            .connection
            .prepare_cached(ontology_rows::SELECT_PARTS)?
            .query_and_then(params![self.number, id], ontology_rows::thing)?
            .collect::<Result<_>>()?;
        let whole = thing(writing.connection, self.number, id)?;
        parts.extend(whole.filter(|thing| thing.deleted.is_none()));
        parts.sort_by(|a, b| a.id.cmp(&b.id));
        for part in parts {
            for sql in [
                "DELETE FROM connections WHERE principal = ?1 AND source = ?2",
                "DELETE FROM connections WHERE principal = ?1 AND target = ?2",
                "DELETE FROM events WHERE principal = ?1 AND target = ?2",
            ] {
                let mut statement = writing.connection.prepare_cached(sql)?;
                statement.execute(params![self.number, part.id])?;
            }
            self.put_thing(writing, &projection::tombstone(part))?;
        }
        Ok(())
    }
}
