//! Lists of the ontology that are read from several tables and merged.

use std::cmp::{Ordering, Reverse};

use rusqlite::types::Value;
use rusqlite::{Connection, Row, StatementStatus, params_from_iter};

use crate::error::Result;
use crate::ids::Principal;
use crate::ontology::Thing;
use crate::paging::{Listing, PageRequest};

/// Bits of a cursor's key that hold the number of a row. The bits above hold the rank of its source.
const NUMBER_BITS: u32 = 56;

/// Table or join that records are listed from.
pub(super) struct ListSource<T> {
    /// Columns, as `read` expects them.
    pub(super) columns: &'static str,
    /// Tables, with the one that `time` belongs to first.
    pub(super) from: &'static str,
    /// Column with the number of the principal.
    pub(super) owner: &'static str,
    /// Column that orders the list.
    pub(super) time: &'static str,
    /// Column that orders rows of one time.
    pub(super) number: &'static str,
    /// Column with the number of the last change; empty for records without live queries.
    pub(super) changed: &'static str,
    /// Order of the sources among records of one time; the highest is listed first.
    pub(super) rank: i64,
    pub(super) read: fn(&Row<'_>, &Principal) -> Result<T>,
}

/// Query on one source.
pub(super) struct ListQuery<T: 'static> {
    source: &'static ListSource<T>,
    conditions: String,
    values: Vec<Value>,
    /// True if the conditions select few rows, which may be sorted. Other queries must follow an index.
    is_narrow: bool,
}

impl<T> ListQuery<T> {
    /// Selects all rows of a principal.
    pub(super) fn new(source: &'static ListSource<T>, owner: i64) -> Self {
        Self {
            source,
            conditions: format!("{} = ?", source.owner),
            values: vec![Value::Integer(owner)],
            is_narrow: false,
        }
    }

    /// Selects few rows by a condition that implies the principal.
    pub(super) fn narrow(
        source: &'static ListSource<T>,
        condition: &str,
        values: Vec<Value>,
    ) -> Self {
        Self {
            source,
            conditions: condition.to_owned(),
            values,
            is_narrow: true,
        }
    }

    /// Adds a condition.
    pub(super) fn with(mut self, condition: &str, values: impl IntoIterator<Item = Value>) -> Self {
        self.conditions.push_str(" AND ");
        self.conditions.push_str(condition);
        self.values.extend(values);
        self
    }

    /// Adds the condition that a column has a value, if one is given.
    pub(super) fn equal(self, column: &str, value: Option<&String>) -> Self {
        match value {
            Some(value) => self.with(&format!("{column} = ?"), [Value::Text(value.clone())]),
            None => self,
        }
    }

    /// Reads the first row.
    pub(super) fn first(self, database: &Connection, principal: &Principal) -> Result<Option<T>> {
        let ListSource { columns, from, .. } = self.source;
        let sql = format!("SELECT {columns} FROM {from} WHERE {}", self.conditions);
        database
            .prepare_cached(&sql)?
            .query_and_then(params_from_iter(self.values), |row| {
                (self.source.read)(row, principal)
            })?
            .next()
            .transpose()
    }

    /// Reads up to `limit` matching rows after a position, the latest first, with their positions.
    fn latest(
        self,
        database: &Connection,
        principal: &Principal,
        after: Option<(i64, i64)>,
        limit: usize,
        matches: &dyn Fn(&T) -> bool,
    ) -> Result<Vec<((i64, i64), T)>> {
        let ListSource {
            columns,
            from,
            time,
            number,
            rank,
            read,
            ..
        } = self.source;
        let mut query = self;
        if let Some((at, key)) = after {
            let bound = match rank.cmp(&(key >> NUMBER_BITS)) {
                Ordering::Less => i64::MAX,
                Ordering::Equal => key & ((1 << NUMBER_BITS) - 1),
                Ordering::Greater => i64::MIN,
            };
            let bounds = [Value::Integer(at), Value::Integer(bound)];
            query = query.with(&format!("({time}, {number}) < (?, ?)"), bounds);
        }
        let sql = format!(
            "SELECT {columns}, {time} AS list_time, {number} AS list_number FROM {from} WHERE {} \
             ORDER BY {time} DESC, {number} DESC",
            query.conditions
        );
        let mut statement = database.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(query.values))?;
        let mut found = Vec::new();
        while found.len() < limit
            && let Some(row) = rows.next()?
        {
            let record = read(row, principal)?;
            if matches(&record) {
                let key = (rank << NUMBER_BITS) | row.get::<_, i64>("list_number")?;
                found.push(((row.get("list_time")?, key), record));
            }
        }
        drop(rows);
        debug_assert!(
            query.is_narrow || statement.get_status(StatementStatus::Sort) == 0,
            "an index must give the order: {sql}"
        );
        Ok(found)
    }
}

/// Reads a page of a list that several queries contribute to, the latest record first.
pub(super) fn list<T>(
    database: &Connection,
    principal: &Principal,
    queries: Vec<ListQuery<T>>,
    page: &PageRequest,
    matches: impl Fn(&T) -> bool,
) -> Result<Listing<T>> {
    let (after, limit) = (page.position()?, page.bounded_limit());
    let mut found = Vec::new();
    for query in queries {
        found.extend(query.latest(database, principal, after, limit + 1, &matches)?);
    }
    found.sort_by_key(|(position, _)| Reverse(*position));
    found.truncate(limit + 1);
    let listing = Listing::from_surplus(found, limit, |(position, _)| *position);
    Ok(listing.map(|(_, record)| record))
}

impl ListQuery<Thing> {
    /// Reads up to `limit` matching things in the order of their last change after `after`, with its number.
    pub(super) fn changes(
        self,
        database: &Connection,
        principal: &Principal,
        after: u64,
        limit: usize,
        matches: &dyn Fn(&Thing) -> bool,
    ) -> Result<Vec<(u64, Thing)>> {
        let ListSource {
            columns,
            from,
            changed,
            read,
            ..
        } = self.source;
        let after = Value::Integer(i64::try_from(after).unwrap_or(i64::MAX));
        let query = self.with(&format!("{changed} > ?"), [after]);
        let sql = format!(
            "SELECT {columns}, {changed} AS list_number FROM {from} WHERE {} ORDER BY {changed}",
            query.conditions
        );
        let mut statement = database.prepare_cached(&sql)?;
        let mut rows = statement.query(params_from_iter(query.values))?;
        let mut found = Vec::new();
        while found.len() < limit
            && let Some(row) = rows.next()?
        {
            let thing = read(row, principal)?;
            if matches(&thing) {
                found.push((row.get("list_number")?, thing));
            }
        }
        Ok(found)
    }
}
