//! Rows of the ontology in SQLite.

use rusqlite::types::Value;
use rusqlite::{Connection as Database, Row, StatementStatus, params, params_from_iter};

use crate::error::Result;
use crate::ids::{Principal, Timestamp};
use crate::ontology::{
    Knowledge, OntologyEvent, OntologyGroup, OntologyRecord, Person, Thing, ThingConnection,
    ThingQuery,
};
use crate::paging::{Listing, PageRequest};

pub(super) const SELECT_GROUPS: &str = "SELECT id, slug, name, kind, parent, description, metadata, \
    settings, status, created, updated FROM groups WHERE principal = ?1 ORDER BY id";
pub(super) const SELECT_PEOPLE: &str = "SELECT id, grp, email, username, name, role, permissions, \
    created, updated, groups FROM people WHERE principal = ?1 AND grp = ?2 ORDER BY id";

/// The group of a row. That of the principal itself, which most have, is stored as an empty text: so it is in none of
/// the indexes of groups, and rows of it are found by those of the principal.
macro_rules! group {
    () => {
        "iif(grp = '', (SELECT p.id FROM principals p WHERE p.number = principal), grp)"
    };
}

/// The group of a row that is written, in that form.
macro_rules! stored_group {
    () => {
        "iif(?3 = (SELECT p.id FROM principals p WHERE p.number = ?1), '', ?3)"
    };
}

macro_rules! select_things {
    ($rest:literal) => {
        concat!(
            "SELECT id, ",
            group!(),
            ", kind, name, within, properties, status, schema_version, created, updated, \
             deleted, changed, rowid FROM things ",
            $rest
        )
    };
}
pub(super) const SELECT_THING: &str = select_things!("WHERE principal = ?1 AND id = ?2");
pub(super) const SELECT_PARTS: &str =
    select_things!("WHERE principal = ?1 AND within = ?2 AND deleted IS NULL");

/// Rows that are listed by time.
pub(super) struct OntologyTable<T> {
    select: &'static str,
    time: &'static str,
    read: fn(&Row<'_>) -> Result<T>,
}

pub(super) const THINGS: OntologyTable<Thing> = OntologyTable {
    select: select_things!(""),
    time: "created",
    read: thing,
};
pub(super) const CONNECTIONS: OntologyTable<ThingConnection> = OntologyTable {
    select: concat!(
        "SELECT id, ",
        group!(),
        ", source, target, kind, metadata, strength, valid_from, valid_to, created, updated, deleted, \
         rowid FROM connections "
    ),
    time: "created",
    read: connection,
};
pub(super) const EVENTS: OntologyTable<OntologyEvent> = OntologyTable {
    select: concat!(
        "SELECT id, ",
        group!(),
        ", kind, actor, target, at, metadata, archived, rowid FROM events "
    ),
    time: "at",
    read: event,
};
pub(super) const KNOWLEDGE: OntologyTable<Knowledge> = OntologyTable {
    select: "SELECT id, grp, kind, text, embedding, embedding_model, source, source_field, chunk, \
             labels, metadata, created, updated, deleted, rowid FROM knowledge ",
    time: "created",
    read: knowledge,
};

/// What a list is restricted to.
pub(super) struct ListConditions {
    sql: String,
    values: Vec<Value>,
}

impl ListConditions {
    pub(super) fn new(owner: i64) -> Self {
        Self {
            sql: "WHERE principal = ?".to_owned(),
            values: vec![Value::Integer(owner)],
        }
    }

    /// A condition without values.
    pub(super) fn raw(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    /// A condition with numbers.
    pub(super) fn with<const N: usize>(&mut self, condition: &str, values: [i64; N]) {
        self.raw(condition);
        self.values.extend(values.map(Value::Integer));
    }

    /// That a column has a value, if one is given.
    pub(super) fn equal(&mut self, column: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.raw(column);
            self.sql.push_str(" = ?");
            self.values.push(Value::Text(value.clone()));
        }
    }

    /// That a row is in a group, if one is given; `narrow` if something else says already that rows are few.
    pub(super) fn in_group(&mut self, principal: &Principal, group: Option<&String>, narrow: bool) {
        // A plus keeps SQLite from an index that would find too much.
        match group {
            Some(group) if group == principal.as_str() => self.raw("+grp = ''"),
            Some(_) if narrow => self.equal("+grp", group),
            Some(_) => {
                self.equal("grp", group);
                // Without this SQLite does not know that the indexes of groups have it.
                self.raw("grp <> ''");
            }
            None => {}
        }
    }

    /// What of a query on things never changes.
    pub(super) fn of_things(&mut self, principal: &Principal, query: &ThingQuery) {
        let narrow = query.within.is_some();
        self.in_group(principal, query.group.as_ref(), narrow);
        // Parts of a thing are few.
        self.equal(if narrow { "+kind" } else { "kind" }, query.kind.as_ref());
        self.equal("within", query.within.as_ref());
    }

    /// The status of a query on things.
    pub(super) fn in_status(&mut self, query: &ThingQuery) {
        let narrow = query.within.is_some();
        self.equal(
            if narrow { "+status" } else { "status" },
            query.status.as_ref(),
        );
    }

    /// That something is known of a thing.
    pub(super) fn known_of(&mut self, thing: String) {
        self.raw(
            "id IN (SELECT k.knowledge FROM thing_knowledge k \
             WHERE k.principal = knowledge.principal AND k.thing = ?)",
        );
        self.values.push(Value::Text(thing));
    }

    /// The newest rows; of those of one moment the one that was written last is the first.
    pub(super) fn newest<T>(
        mut self,
        database: &Database,
        table: &OntologyTable<T>,
        slice: &PageRequest,
    ) -> Result<Listing<T>> {
        let OntologyTable { select, time, read } = table;
        if let Some((at, number)) = slice.place()? {
            self.with(&format!("({time}, rowid) < (?, ?)"), [at, number]);
        }
        let limit = slice.bounded();
        let sql = format!(
            "{select}{} ORDER BY {time} DESC, rowid DESC LIMIT {}",
            self.sql,
            limit + 1
        );
        let mut statement = database.prepare_cached(&sql)?;
        let rows = statement
            .query_and_then(params_from_iter(self.values), |row| {
                Ok((row.get(*time)?, row.get("rowid")?, read(row)?))
            })?
            .collect::<Result<Vec<(i64, i64, T)>>>()?;
        // Some index has every list in order, whatever it is restricted to.
        debug_assert_eq!(statement.get_status(StatementStatus::Sort), 0, "{sql}");
        let listed = Listing::cut(rows, limit, |(at, number, _)| (*at, *number));
        Ok(listed.map(|(_, _, item)| item))
    }

    /// Things in the order of their last change, with its number.
    pub(super) fn changed(self, database: &Database, limit: usize) -> Result<Vec<(Thing, u64)>> {
        let sql = format!(
            "{}{} ORDER BY changed LIMIT {limit}",
            THINGS.select, self.sql
        );
        database
            .prepare_cached(&sql)?
            .query_and_then(params_from_iter(self.values), |row| {
                Ok((thing(row)?, row.get(11)?))
            })?
            .collect()
    }
}

fn time(row: &Row<'_>, column: usize) -> Result<Timestamp> {
    Ok(Timestamp(row.get(column)?))
}

fn maybe_time(row: &Row<'_>, column: usize) -> Result<Option<Timestamp>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Timestamp))
}

pub(super) fn group(row: &Row<'_>) -> Result<OntologyGroup> {
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

pub(super) fn person(row: &Row<'_>) -> Result<Person> {
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

pub(super) fn thing(row: &Row<'_>) -> Result<Thing> {
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

pub(super) fn connection(row: &Row<'_>) -> Result<ThingConnection> {
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

pub(super) fn event(row: &Row<'_>) -> Result<OntologyEvent> {
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

pub(super) fn knowledge(row: &Row<'_>) -> Result<Knowledge> {
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

/// Writes a thing in place of the one with its id.
///
/// Here and below a row that is there is changed, not replaced: for `INSERT OR REPLACE` SQLite keeps a copy of
/// every page that it touches until the statement has ended.
pub(super) fn insert_thing(
    database: &Database,
    owner: i64,
    it: &Thing,
    changed: u64,
) -> Result<()> {
    database
        .prepare_cached(concat!(
            "INSERT INTO things (principal, id, grp, kind, name, within, properties, \
             status, schema_version, created, updated, deleted, changed) VALUES (?1, ?2, ",
            stored_group!(),
            ", ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) \
             ON CONFLICT (principal, id) DO UPDATE SET grp = excluded.grp, kind = ?4, name = ?5, \
             within = ?6, properties = ?7, status = ?8, schema_version = ?9, created = ?10, \
             updated = ?11, deleted = ?12, changed = ?13",
        ))?
        .execute(params![
            owner,
            it.id,
            it.group,
            it.kind,
            it.name,
            it.within,
            it.properties,
            it.status,
            it.schema_version,
            it.created.0,
            it.updated.0,
            it.deleted.map(|at| at.0),
            changed
        ])?;
    Ok(())
}

/// Writes a record other than a thing in place of the one with its id.
pub(super) fn insert(database: &Database, owner: i64, record: &OntologyRecord) -> Result<()> {
    let when = |at: Option<Timestamp>| at.map(|at| at.0);
    match record {
        OntologyRecord::Thing(it) => return insert_thing(database, owner, it, 0),
        OntologyRecord::Group(it) => database
            .prepare_cached(
                "INSERT OR REPLACE INTO groups VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?
            .execute(params![
                owner, it.id, it.slug, it.name, it.kind, it.parent, it.description, it.metadata,
                it.settings, it.status, it.created.0, it.updated.0
            ])?,
        OntologyRecord::Person(it) => database
            .prepare_cached(
                "INSERT OR REPLACE INTO people VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?
            .execute(params![
                owner, it.id, it.group, it.email, it.username, it.name, it.role, it.permissions,
                it.created.0, it.updated.0, it.groups
            ])?,
        OntologyRecord::Connection(it) => database
            .prepare_cached(concat!(
                "INSERT INTO connections VALUES (?1, ?2, ",
                stored_group!(),
                ", ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) \
                 ON CONFLICT (principal, id) DO UPDATE SET grp = excluded.grp, source = ?4, target = ?5, \
                 kind = ?6, metadata = ?7, strength = ?8, valid_from = ?9, valid_to = ?10, \
                 created = ?11, updated = ?12, deleted = ?13",
            ))?
            .execute(params![
                owner, it.id, it.group, it.from, it.to, it.kind, it.metadata, it.strength,
                when(it.valid_from), when(it.valid_to), it.created.0, it.updated.0, when(it.deleted)
            ])?,
        OntologyRecord::Event(it) => database
            .prepare_cached(concat!(
                "INSERT INTO events VALUES (?1, ?2, ",
                stored_group!(),
                ", ?4, ?5, ?6, ?7, ?8, ?9) \
                 ON CONFLICT (principal, id) DO UPDATE SET grp = excluded.grp, kind = ?4, actor = ?5, \
                 target = ?6, at = ?7, metadata = ?8, archived = ?9",
            ))?
            .execute(params![
                owner, it.id, it.group, it.kind, it.actor, it.target, it.at.0, it.metadata,
                it.archived
            ])?,
        OntologyRecord::Knowledge(it) => database
            .prepare_cached(
                "INSERT INTO knowledge \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) \
                 ON CONFLICT (principal, id) DO UPDATE SET grp = ?3, kind = ?4, text = ?5, \
                 embedding = ?6, embedding_model = ?7, source = ?8, source_field = ?9, chunk = ?10, \
                 labels = ?11, metadata = ?12, created = ?13, updated = ?14, deleted = ?15",
            )?
            .execute(params![
                owner, it.id, it.group, it.kind, it.text, it.embedding, it.embedding_model,
                it.source, it.source_field, it.chunk, it.labels, it.metadata, it.created.0,
                it.updated.0, when(it.deleted)
            ])?,
        OntologyRecord::ThingKnowledge(it) => database
            .prepare_cached("INSERT OR REPLACE INTO thing_knowledge VALUES (?1, ?2, ?3, ?4, ?5)")?
            .execute(params![owner, it.thing, it.knowledge, it.role, it.metadata])?,
    };
    Ok(())
}
