//! Rows of the ontology that are stored: groups, people, and what programs add.

use rusqlite::types::Value;
use rusqlite::{Connection as Database, Row, params};

use super::ontology_list::{ListQuery, ListSource};
use crate::error::Result;
use crate::ids::Timestamp;
use crate::ontology::{
    ConnectionQuery, EventQuery, Knowledge, KnowledgeQuery, OntologyEvent, OntologyGroup, Person,
    Thing, ThingConnection, ThingQuery,
};

const THING_COLUMNS: &str = "id, grp, kind, name, within, properties, status, schema_version, \
    created, updated, deleted";

static THINGS: ListSource<Thing> = ListSource {
    columns: THING_COLUMNS,
    from: "things",
    owner: "principal",
    time: "created",
    number: "number",
    changed: "changed",
    rank: 0,
    read: |row, _| thing(row),
};

static CONNECTIONS: ListSource<ThingConnection> = ListSource {
    columns: "id, grp, source, target, kind, metadata, strength, valid_from, valid_to, created, \
              updated, deleted",
    from: "connections",
    owner: "principal",
    time: "created",
    number: "number",
    changed: "",
    rank: 0,
    read: |row, _| connection(row),
};

static EVENTS: ListSource<OntologyEvent> = ListSource {
    columns: "id, grp, kind, actor, target, at, metadata, archived",
    from: "events",
    owner: "principal",
    time: "at",
    number: "number",
    changed: "",
    rank: 0,
    read: |row, _| event(row),
};

static KNOWLEDGE: ListSource<Knowledge> = ListSource {
    columns: "id, grp, kind, text, embedding, embedding_model, source, source_field, chunk, \
              labels, metadata, created, updated, deleted",
    from: "knowledge",
    owner: "principal",
    time: "created",
    number: "number",
    changed: "",
    rank: 0,
    read: |row, _| knowledge(row),
};

/// Returns the name of a column, hidden from the choice of an index if `is_hidden`. Without a hint SQLite
/// prefers the index with the most columns, even if that gives no order or selects more rows.
fn hint(column: &'static str, is_hidden: bool) -> String {
    format!("{}{column}", if is_hidden { "+" } else { "" })
}

/// Selects stored things. A live query that continues must not select by status.
pub(super) fn list_things(owner: i64, query: &ThingQuery, by_status: bool) -> ListQuery<Thing> {
    // Parts of a thing are few.
    let is_narrow = query.within.is_some();
    let selected = ListQuery::new(&THINGS, owner)
        .equal(&hint("grp", is_narrow), query.group.as_ref())
        .equal(&hint("kind", is_narrow), query.kind.as_ref())
        .equal("within", query.within.as_ref());
    match by_status {
        true => selected
            .equal(&hint("status", is_narrow), query.status.as_ref())
            .with("deleted IS NULL", []),
        false => selected,
    }
}

/// Selects stored connections.
pub(super) fn list_connections(owner: i64, query: &ConnectionQuery) -> ListQuery<ThingConnection> {
    let is_narrow = query.from.is_some() || query.to.is_some();
    let selected = ListQuery::new(&CONNECTIONS, owner)
        .equal(&hint("grp", is_narrow), query.group.as_ref())
        .equal("source", query.from.as_ref())
        .equal(&hint("target", query.from.is_some()), query.to.as_ref())
        .equal("kind", query.kind.as_ref())
        .with("deleted IS NULL", []);
    match query.valid_at.map(|at| Value::Integer(at.0)) {
        Some(at) => selected.with(
            "coalesce(valid_from, ?) <= ? AND (valid_to IS NULL OR valid_to > ?)",
            [at.clone(), at.clone(), at],
        ),
        None => selected,
    }
}

/// Selects stored events.
pub(super) fn list_events(owner: i64, query: &EventQuery) -> ListQuery<OntologyEvent> {
    let is_narrow = query.actor.is_some() || query.target.is_some();
    ListQuery::new(&EVENTS, owner)
        .equal(&hint("grp", is_narrow), query.group.as_ref())
        .equal("kind", query.kind.as_ref())
        .equal(&hint("actor", query.target.is_some()), query.actor.as_ref())
        .equal("target", query.target.as_ref())
}

/// Selects knowledge.
pub(super) fn list_knowledge(owner: i64, query: &KnowledgeQuery) -> ListQuery<Knowledge> {
    let selected = ListQuery::new(&KNOWLEDGE, owner)
        .equal("grp", query.group.as_ref())
        .equal("kind", query.kind.as_ref())
        .equal("source", query.source.as_ref())
        .with("deleted IS NULL", []);
    match &query.thing {
        Some(thing) => selected.with(
            "id IN (SELECT k.knowledge FROM thing_knowledge k \
             WHERE k.principal = knowledge.principal AND k.thing = ?)",
            [Value::Text(thing.clone())],
        ),
        None => selected,
    }
}

/// Returns the groups of a principal, ordered by id.
pub(super) fn groups(database: &Database, owner: i64) -> Result<Vec<OntologyGroup>> {
    database
        .prepare_cached(
            "SELECT id, slug, name, kind, parent, description, metadata, settings, status, created, \
             updated FROM groups WHERE principal = ?1 ORDER BY id",
        )?
        .query_and_then([owner], group)?
        .collect()
}

/// Returns the people of a group, ordered by id.
pub(super) fn people(database: &Database, owner: i64, group: &str) -> Result<Vec<Person>> {
    database
        .prepare_cached(
            "SELECT id, grp, email, username, name, role, permissions, created, updated, groups \
             FROM people WHERE principal = ?1 AND grp = ?2 ORDER BY id",
        )?
        .query_and_then(params![owner, group], person)?
        .collect()
}

/// Returns a stored thing, deleted or not.
pub(super) fn find_thing(database: &Database, owner: i64, id: &str) -> Result<Option<Thing>> {
    let sql = format!("SELECT {THING_COLUMNS} FROM things WHERE principal = ?1 AND id = ?2");
    database
        .prepare_cached(&sql)?
        .query_and_then(params![owner, id], thing)?
        .next()
        .transpose()
}

/// Returns the stored things that are part of another and not deleted, ordered by id.
pub(super) fn parts(database: &Database, owner: i64, whole: &str) -> Result<Vec<Thing>> {
    let sql = format!(
        "SELECT {THING_COLUMNS} FROM things \
         WHERE principal = ?1 AND within = ?2 AND deleted IS NULL ORDER BY id"
    );
    database
        .prepare_cached(&sql)?
        .query_and_then(params![owner, whole], thing)?
        .collect()
}

/// Deletes stored connections and events of all things that were deleted from a change on.
pub(super) fn delete_relations(database: &Database, owner: i64, first_change: u64) -> Result<()> {
    for (table, column) in [
        ("connections", "source"),
        ("connections", "target"),
        ("events", "target"),
    ] {
        let sql = format!(
            "DELETE FROM {table} WHERE principal = ?1 AND {column} IN (\
             SELECT id FROM removed_things WHERE principal = ?1 AND changed >= ?2 UNION ALL \
             SELECT id FROM things WHERE principal = ?1 AND changed >= ?2)"
        );
        database
            .prepare_cached(&sql)?
            .execute(params![owner, first_change])?;
    }
    Ok(())
}

/// Returns true if a principal has a group.
pub(super) fn has_group(database: &Database, owner: i64, id: &str) -> Result<bool> {
    Ok(database
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM groups WHERE principal = ?1 AND id = ?2)")?
        .query_row(params![owner, id], |row| row.get(0))?)
}

/// Returns true if another group of the principal has the slug of this one.
pub(super) fn is_slug_taken(
    database: &Database,
    owner: i64,
    group: &OntologyGroup,
) -> Result<bool> {
    Ok(database
        .prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM groups WHERE principal = ?1 AND slug = ?2 AND id <> ?3)",
        )?
        .query_row(params![owner, group.slug, group.id], |row| row.get(0))?)
}

fn time(row: &Row<'_>, column: usize) -> Result<Timestamp> {
    Ok(Timestamp(row.get(column)?))
}

fn maybe_time(row: &Row<'_>, column: usize) -> Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp))
}

fn group(row: &Row<'_>) -> Result<OntologyGroup> {
    Ok(OntologyGroup {
        id: row.get(0)?,
        slug: row.get(1)?,
        name: row.get(2)?,
        kind: row.get(3)?,
        parent: row.get(4)?,
        description: row.get(5)?,
        metadata: row.get(6)?,
        settings: row.get(7)?,
        status: row.get(8)?,
        created: time(row, 9)?,
        updated: time(row, 10)?,
    })
}

fn person(row: &Row<'_>) -> Result<Person> {
    Ok(Person {
        id: row.get(0)?,
        group: row.get(1)?,
        email: row.get(2)?,
        username: row.get(3)?,
        name: row.get(4)?,
        role: row.get(5)?,
        permissions: row.get(6)?,
        created: time(row, 7)?,
        updated: time(row, 8)?,
        groups: row.get(9)?,
    })
}

fn thing(row: &Row<'_>) -> Result<Thing> {
    Ok(Thing {
        id: row.get(0)?,
        group: row.get(1)?,
        kind: row.get(2)?,
        name: row.get(3)?,
        within: row.get(4)?,
        properties: row.get(5)?,
        status: row.get(6)?,
        schema_version: row.get(7)?,
        created: time(row, 8)?,
        updated: time(row, 9)?,
        deleted: maybe_time(row, 10)?,
    })
}

fn connection(row: &Row<'_>) -> Result<ThingConnection> {
    Ok(ThingConnection {
        id: row.get(0)?,
        group: row.get(1)?,
        from: row.get(2)?,
        to: row.get(3)?,
        kind: row.get(4)?,
        metadata: row.get(5)?,
        strength: row.get(6)?,
        valid_from: maybe_time(row, 7)?,
        valid_to: maybe_time(row, 8)?,
        created: time(row, 9)?,
        updated: time(row, 10)?,
        deleted: maybe_time(row, 11)?,
    })
}

fn event(row: &Row<'_>) -> Result<OntologyEvent> {
    Ok(OntologyEvent {
        id: row.get(0)?,
        group: row.get(1)?,
        kind: row.get(2)?,
        actor: row.get(3)?,
        target: row.get(4)?,
        at: time(row, 5)?,
        metadata: row.get(6)?,
        archived: row.get(7)?,
    })
}

fn knowledge(row: &Row<'_>) -> Result<Knowledge> {
    Ok(Knowledge {
        id: row.get(0)?,
        group: row.get(1)?,
        kind: row.get(2)?,
        text: row.get(3)?,
        embedding: row.get(4)?,
        embedding_model: row.get(5)?,
        source: row.get(6)?,
        source_field: row.get(7)?,
        chunk: row.get(8)?,
        labels: row.get(9)?,
        metadata: row.get(10)?,
        created: time(row, 11)?,
        updated: time(row, 12)?,
        deleted: maybe_time(row, 13)?,
    })
}
