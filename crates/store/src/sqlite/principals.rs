//! Numbers of principals in SQLite.

use rusqlite::{Connection, OptionalExtension};

use super::ontology_inserts;
use crate::error::Result;
use crate::ids::{Principal, Timestamp};
use crate::ontology::OntologyRecord;
use crate::ontology::derived::{root_group, root_person};

/// Returns the number of a principal that owns or owned something.
pub(super) fn find(connection: &Connection, principal: &Principal) -> Result<Option<i64>> {
    Ok(connection
        .prepare_cached("SELECT number FROM principals WHERE id = ?1")?
        .query_row([principal.as_str()], |row| row.get(0))
        .optional()?)
}

/// Returns the number of a principal. A new principal gets its group and its person.
pub(super) fn find_or_insert(
    connection: &Connection,
    principal: &Principal,
    at: Timestamp,
) -> Result<i64> {
    if let Some(number) = find(connection, principal)? {
        return Ok(number);
    }
    connection
        .prepare_cached("INSERT INTO principals (id) VALUES (?1)")?
        .execute([principal.as_str()])?;
    let number = connection.last_insert_rowid();
    for record in [
        OntologyRecord::Group(root_group(principal, at)),
        OntologyRecord::Person(root_person(principal, at)),
    ] {
        ontology_inserts::insert(connection, number, &record)?;
    }
    Ok(number)
}
