//! The ontology in SQLite: stored records and views are read together; live queries; deletion of things.

use rusqlite::{Connection as Database, params};

use super::SqliteStore;
use super::ontology_inserts;
use super::ontology_list::{self, ListQuery};
use super::ontology_rows;
use super::ontology_views::ViewOwner;
use super::principals;
use super::writer::WriteContext;
use crate::error::{Result, StoreError};
use crate::future::StoreFuture;
use crate::ids::Principal;
use crate::ontology::derived::{DerivedId, is_derived_thing};
use crate::ontology::{
    ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, Ontology, OntologyEvent, OntologyGroup,
    OntologyRecord, Person, QueryCursor, Thing, ThingConnection, ThingQuery,
};
use crate::paging::{Listing, PageRequest};

/// Largest number of changes that one call returns.
const MAX_CHANGES: usize = 100_000;

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
            let owner = principals::find_or_insert(writing.connection, &principal, first.time())?;
            for record in &records {
                put(writing, &principal, owner, record)?;
            }
            Ok(())
        })
    }

    fn groups(&self, principal: &Principal) -> StoreFuture<Vec<OntologyGroup>> {
        self.read_own(principal, Vec::new, |database, owner| {
            ontology_rows::groups(database, owner.number)
        })
    }

    fn people(&self, principal: &Principal, group: &str) -> StoreFuture<Vec<Person>> {
        let group = group.to_owned();
        self.read_own(principal, Vec::new, move |database, owner| {
            ontology_rows::people(database, owner.number, &group)
        })
    }

    fn thing(&self, principal: &Principal, id: &str) -> StoreFuture<Option<Thing>> {
        let id = id.to_owned();
        let none = || None;
        self.read_own(principal, none, move |database, owner| {
            if is_derived_thing(&id) {
                return match DerivedId::parse(&id) {
                    Some(id) => owner.thing(database, id),
                    None => Ok(None),
                };
            }
            let found = ontology_rows::find_thing(database, owner.number, &id)?;
            Ok(found.filter(|thing| thing.deleted.is_none()))
        })
    }

    fn things(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<Thing>> {
        let (query, page) = (query.clone(), page.clone());
        self.read_own(principal, empty, move |database, owner| {
            let mut queries = owner.things(&query, true);
            queries.push(ontology_rows::list_things(owner.number, &query, true));
            let matches = |thing: &Thing| query.matches(thing);
            ontology_list::list(database, owner.principal, queries, &page, matches)
        })
    }

    fn connections(
        &self,
        principal: &Principal,
        query: &ConnectionQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<ThingConnection>> {
        let (query, page) = (query.clone(), page.clone());
        self.read_own(principal, empty, move |database, owner| {
            let mut queries = owner.connections(&query);
            queries.push(ontology_rows::list_connections(owner.number, &query));
            let matches = |connection: &ThingConnection| query.matches(connection);
            ontology_list::list(database, owner.principal, queries, &page, matches)
        })
    }

    fn ontology_events(
        &self,
        principal: &Principal,
        query: &EventQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<OntologyEvent>> {
        let (query, page) = (query.clone(), page.clone());
        self.read_own(principal, empty, move |database, owner| {
            let mut queries = owner.events(&query);
            queries.push(ontology_rows::list_events(owner.number, &query));
            let matches = |event: &OntologyEvent| query.matches(event);
            ontology_list::list(database, owner.principal, queries, &page, matches)
        })
    }

    fn knowledge(
        &self,
        principal: &Principal,
        query: &KnowledgeQuery,
        page: &PageRequest,
    ) -> StoreFuture<Listing<Knowledge>> {
        let (query, page) = (query.clone(), page.clone());
        self.read_own(principal, empty, move |database, owner| {
            let queries = vec![ontology_rows::list_knowledge(owner.number, &query)];
            ontology_list::list(database, owner.principal, queries, &page, |_| true)
        })
    }

    fn changes(
        &self,
        principal: &Principal,
        query: &ThingQuery,
        after: u64,
        limit: usize,
    ) -> StoreFuture<QueryCursor> {
        let (principal, query) = (principal.clone(), query.clone());
        let limit = limit.clamp(1, MAX_CHANGES);
        self.read(move |database| {
            let count: u64 = database
                .prepare_cached("SELECT count FROM change_count")?
                .query_row([], |row| row.get(0))?;
            let mut things = match principals::find(database, &principal)? {
                Some(number) => {
                    let owner = ViewOwner {
                        principal: &principal,
                        number,
                    };
                    changed_things(database, &owner, &query, after, limit + 1)?
                }
                None => Vec::new(),
            };
            let more = things.len() > limit;
            things.truncate(limit);
            let at = match things.last() {
                Some((changed, _)) if more => *changed,
                _ => count.max(after),
            };
            let changes = things.into_iter().map(|(_, thing)| query.change(thing));
            Ok(QueryCursor {
                changes: changes.collect(),
                at,
                more,
            })
        })
    }

    fn changed(&self, principal: &Principal, after: u64) -> StoreFuture<u64> {
        self.notifier.wait(principal, after, || {
            let none = || 0;
            self.read_own(principal, none, |database, owner| {
                latest_change(database, owner.number)
            })
        })
    }
}

fn empty<T>() -> Listing<T> {
    Listing {
        items: Vec::new(),
        next: None,
    }
}

impl SqliteStore {
    /// Reads records of a principal. Returns `none` if the principal is unknown.
    fn read_own<T, F>(
        &self,
        principal: &Principal,
        none: impl FnOnce() -> T + Send + 'static,
        work: F,
    ) -> StoreFuture<T>
    where
        T: Send + 'static,
        F: FnOnce(&Database, &ViewOwner<'_>) -> Result<T> + Send + 'static,
    {
        let principal = principal.clone();
        self.read(
            move |database| match principals::find(database, &principal)? {
                Some(number) => {
                    let owner = ViewOwner {
                        principal: &principal,
                        number,
                    };
                    work(database, &owner)
                }
                None => Ok(none()),
            },
        )
    }
}

/// Reads up to `limit` things that changed after `after`, in the order of their changes.
fn changed_things(
    database: &Database,
    owner: &ViewOwner<'_>,
    query: &ThingQuery,
    after: u64,
    limit: usize,
) -> Result<Vec<(u64, Thing)>> {
    // A snapshot has only things that match; later calls also report those that no longer match.
    let is_snapshot = after == 0;
    let mut queries: Vec<ListQuery<Thing>> = owner.things(query, is_snapshot);
    queries.push(ontology_rows::list_things(owner.number, query, is_snapshot));
    if !is_snapshot {
        queries.extend(owner.removed_things(query));
    }
    let matches = |thing: &Thing| !is_snapshot || query.matches(thing);
    let mut things = Vec::new();
    for query in queries {
        things.extend(query.changes(database, owner.principal, after, limit, &matches)?);
    }
    things.sort_by_key(|(changed, _)| *changed);
    things.truncate(limit);
    Ok(things)
}

/// Returns the number of the latest change of a principal's things; 0 if there is none.
fn latest_change(database: &Database, owner: i64) -> Result<u64> {
    let latest: Option<i64> = database
        .prepare_cached(
            "SELECT max(latest) FROM (\
             SELECT max(changed) AS latest FROM threads WHERE principal = ?1 UNION ALL \
             SELECT max(changed) FROM messages WHERE principal = ?1 UNION ALL \
             SELECT max(changed) FROM attachments WHERE principal = ?1 UNION ALL \
             SELECT max(changed) FROM agents WHERE principal = ?1 UNION ALL \
             SELECT max(changed) FROM things WHERE principal = ?1 UNION ALL \
             SELECT max(changed) FROM removed_things WHERE principal = ?1)",
        )?
        .query_row([owner], |row| row.get(0))?;
    Ok(latest.map_or(0, i64::unsigned_abs))
}

/// Stores a record of a program.
fn put(
    writing: &mut WriteContext<'_>,
    principal: &Principal,
    owner: i64,
    record: &OntologyRecord,
) -> Result<()> {
    let database = writing.connection;
    if let Some(group) = record.group()
        && !ontology_rows::has_group(database, owner, group)?
    {
        return Err(StoreError::NotFound { what: "the group" });
    }
    match record {
        OntologyRecord::Thing(thing) => {
            if let Some(before) = ontology_rows::find_thing(database, owner, &thing.id)? {
                thing.check_replaces(&before)?;
            }
            let changed = writing.next_change(principal)?;
            ontology_inserts::insert_thing(database, owner, thing, changed)
        }
        OntologyRecord::Group(group) if ontology_rows::is_slug_taken(database, owner, group)? => {
            Err(StoreError::Conflict {
                what: "group",
                id: group.slug.clone(),
            })
        }
        _ => ontology_inserts::insert(database, owner, record),
    }
}

/// Thing that was derived from a row that is being deleted.
pub(super) struct RemovedThing {
    pub(super) id: String,
    pub(super) kind: &'static str,
    pub(super) within: Option<String>,
}

/// Records for live queries that things are gone, and deletes what programs have attached to them: parts of
/// the first one, connections and events. The first one is the whole of the others.
pub(super) fn remove_things(
    writing: &mut WriteContext<'_>,
    principal: &Principal,
    owner: i64,
    removed: &[RemovedThing],
) -> Result<()> {
    let Some(whole) = removed.first() else {
        return Ok(());
    };
    let database = writing.connection;
    let mut first_change = None;
    for RemovedThing { id, kind, within } in removed {
        let changed = writing.next_change(principal)?;
        first_change.get_or_insert(changed);
        database
            .prepare_cached("INSERT INTO removed_things VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![owner, changed, id, kind, within])?;
    }
    for part in ontology_rows::parts(database, owner, &whole.id)? {
        let changed = writing.next_change(principal)?;
        let tombstone = Thing {
            name: String::new(),
            properties: "{}".to_owned(),
            deleted: Some(part.updated),
            ..part
        };
        ontology_inserts::insert_thing(database, owner, &tombstone, changed)?;
    }
    ontology_rows::delete_relations(database, owner, first_change.unwrap_or(0))
}
