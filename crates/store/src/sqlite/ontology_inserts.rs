//! Statements that store records of the ontology.

use rusqlite::{Connection as Database, params};

use crate::error::Result;
use crate::ids::Timestamp;
use crate::ontology::{
    Knowledge, OntologyEvent, OntologyGroup, OntologyRecord, Person, Thing, ThingConnection,
};

/// Stores a thing in place of the one with its id.
///
/// Here and below an existing row is updated, not replaced: for `INSERT OR REPLACE` SQLite keeps a copy of every
/// page that it touches until the statement ends.
pub(super) fn insert_thing(
    database: &Database,
    owner: i64,
    it: &Thing,
    changed: u64,
) -> Result<()> {
    database
        .prepare_cached(
            "INSERT INTO things (principal, id, grp, kind, name, within, properties, status, \
             schema_version, created, updated, deleted, changed) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) \
             ON CONFLICT (principal, id) DO UPDATE SET grp = ?3, kind = ?4, name = ?5, within = ?6, \
             properties = ?7, status = ?8, schema_version = ?9, created = ?10, updated = ?11, \
             deleted = ?12, changed = ?13",
        )?
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

/// Stores a record other than a thing in place of the one with its id.
pub(super) fn insert(database: &Database, owner: i64, record: &OntologyRecord) -> Result<()> {
    match record {
        OntologyRecord::Thing(it) => insert_thing(database, owner, it, 0),
        OntologyRecord::Group(it) => insert_group(database, owner, it),
        OntologyRecord::Person(it) => insert_person(database, owner, it),
        OntologyRecord::Connection(it) => insert_connection(database, owner, it),
        OntologyRecord::Event(it) => insert_event(database, owner, it),
        OntologyRecord::Knowledge(it) => insert_knowledge(database, owner, it),
        OntologyRecord::ThingKnowledge(it) => {
            database
                .prepare_cached(
                    "INSERT OR REPLACE INTO thing_knowledge VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![owner, it.thing, it.knowledge, it.role, it.metadata])?;
            Ok(())
        }
    }
}

fn insert_group(database: &Database, owner: i64, it: &OntologyGroup) -> Result<()> {
    database
        .prepare_cached(
            "INSERT OR REPLACE INTO groups (principal, id, slug, name, kind, parent, description, \
             metadata, settings, status, created, updated) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            owner,
            it.id,
            it.slug,
            it.name,
            it.kind,
            it.parent,
            it.description,
            it.metadata,
            it.settings,
            it.status,
            it.created.0,
            it.updated.0
        ])?;
    Ok(())
}

fn insert_person(database: &Database, owner: i64, it: &Person) -> Result<()> {
    database
        .prepare_cached(
            "INSERT OR REPLACE INTO people (principal, id, grp, email, username, name, role, \
             permissions, created, updated, groups) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            owner,
            it.id,
            it.group,
            it.email,
            it.username,
            it.name,
            it.role,
            it.permissions,
            it.created.0,
            it.updated.0,
            it.groups
        ])?;
    Ok(())
}

fn insert_connection(database: &Database, owner: i64, it: &ThingConnection) -> Result<()> {
    let time = |at: Option<Timestamp>| at.map(|at| at.0);
    database
        .prepare_cached(
            "INSERT INTO connections (principal, id, grp, source, target, kind, metadata, strength, \
             valid_from, valid_to, created, updated, deleted) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) \
             ON CONFLICT (principal, id) DO UPDATE SET grp = ?3, source = ?4, target = ?5, kind = ?6, \
             metadata = ?7, strength = ?8, valid_from = ?9, valid_to = ?10, created = ?11, \
             updated = ?12, deleted = ?13",
        )?
        .execute(params![
            owner,
            it.id,
            it.group,
            it.from,
            it.to,
            it.kind,
            it.metadata,
            it.strength,
            time(it.valid_from),
            time(it.valid_to),
            it.created.0,
            it.updated.0,
            time(it.deleted)
        ])?;
    Ok(())
}

fn insert_event(database: &Database, owner: i64, it: &OntologyEvent) -> Result<()> {
    database
        .prepare_cached(
            "INSERT INTO events (principal, id, grp, kind, actor, target, at, metadata, archived) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) \
             ON CONFLICT (principal, id) DO UPDATE SET grp = ?3, kind = ?4, actor = ?5, target = ?6, \
             at = ?7, metadata = ?8, archived = ?9",
        )?
        .execute(params![
            owner,
            it.id,
            it.group,
            it.kind,
            it.actor,
            it.target,
            it.at.0,
            it.metadata,
            it.archived
        ])?;
    Ok(())
}

fn insert_knowledge(database: &Database, owner: i64, it: &Knowledge) -> Result<()> {
    database
        .prepare_cached(
            "INSERT INTO knowledge (principal, id, grp, kind, text, embedding, embedding_model, source, \
             source_field, chunk, labels, metadata, created, updated, deleted) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) \
             ON CONFLICT (principal, id) DO UPDATE SET grp = ?3, kind = ?4, text = ?5, \
             embedding = ?6, embedding_model = ?7, source = ?8, source_field = ?9, chunk = ?10, \
             labels = ?11, metadata = ?12, created = ?13, updated = ?14, deleted = ?15",
        )?
        .execute(params![
            owner,
            it.id,
            it.group,
            it.kind,
            it.text,
            it.embedding,
            it.embedding_model,
            it.source,
            it.source_field,
            it.chunk,
            it.labels,
            it.metadata,
            it.created.0,
            it.updated.0,
            it.deleted.map(|at| at.0)
        ])?;
    Ok(())
}
