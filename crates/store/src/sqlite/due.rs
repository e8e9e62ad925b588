//! What runs change in the ontology, written later: for many runs together, and before anybody looks.
//!
//! The row that says so is written with the run itself, so a crash loses nothing. Rows are worked off in
//! their order, and whoever writes to the ontology works them off first: what is read is what would have been
//! written at once, down to the number of each change.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rusqlite::{OptionalExtension, Row, params};

use super::evidence_rows;
use super::ontology::{self, OntologyOwner};
use super::ontology_rows;
use super::runs::{status_of, word_of};
use super::varint;
use super::writer::WriteContext;
use crate::error::{Result, StoreError};
use crate::ids::{Principal, RunId, ThreadId, Timestamp};
use crate::ontology::{OntologyRecord, Thing, message_id};
use crate::projection::{self, ConversationChange};
use crate::threads::{RunStatus, Thread};

/// How many rows are worked off in one transaction while nobody waits for them.
const AT_ONCE: usize = 512;

/// The columns of a run and its thread, as [`DueRun::read`] reads them.
macro_rules! run_columns {
    () => {
        "p.id, r.id, r.agent, t.id, t.agent, t.title, t.archived, t.parent_thread, t.parent_run, t.created"
    };
}
/// How many these are.
const FIRST: usize = 10;

impl ConversationChange {
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        varint::push_count(&mut bytes, self.kept.len());
        for (position, id, role) in &self.kept {
            varint::push_count(&mut bytes, *position);
            varint::push_bytes(&mut bytes, id.as_bytes());
            varint::push_bytes(&mut bytes, role.as_bytes());
        }
        for id in &self.hidden {
            varint::push_bytes(&mut bytes, id.as_bytes());
        }
        bytes
    }

    fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let mut changed = Self::default();
        for _ in 0..varint::take_count(&mut bytes)? {
            let position = varint::take_count(&mut bytes)?;
            let id = varint::take_text(&mut bytes)?;
            let role = varint::take_text(&mut bytes)?;
            changed.kept.push((position, id, role));
        }
        while !bytes.is_empty() {
            changed.hidden.push(varint::take_text(&mut bytes)?);
        }
        Some(changed)
    }
}

/// Writes down that a run began.
pub(super) fn began(writing: &mut WriteContext<'_>, run: i64, at: Timestamp) -> Result<()> {
    add(writing, run, at, None, None)
}

/// Writes down that a run ended.
pub(super) fn ended(
    writing: &mut WriteContext<'_>,
    run: i64,
    at: Timestamp,
    status: RunStatus,
    changed: &ConversationChange,
) -> Result<()> {
    let changed = changed.to_bytes();
    add(writing, run, at, Some(word_of(status)), Some(&changed))
}

fn add(
    writing: &mut WriteContext<'_>,
    run: i64,
    at: Timestamp,
    status: Option<i64>,
    changed: Option<&[u8]>,
) -> Result<()> {
    writing
        .connection
        .prepare_cached("INSERT INTO due (run, at, status, changed) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![run, at.0, status, changed])?;
    writing.due += 1;
    Ok(())
}

/// Works off everything that is due.
pub(super) fn catch_up(writing: &mut WriteContext<'_>) -> Result<()> {
    while step(writing)? {}
    writing.due = 0;
    Ok(())
}

/// Works off some of what is due, names of evidence too. Says whether there may be more.
pub(super) fn step(writing: &mut WriteContext<'_>) -> Result<bool> {
    let more = evidence_rows::index(writing.connection)?;
    Ok(follow(writing)? || more)
}

/// Brings the ontology up to date with some of what runs have changed. Says whether there may be more.
fn follow(writing: &mut WriteContext<'_>) -> Result<bool> {
    let rows: Vec<DueRow> = writing
        .connection
        .prepare_cached(concat!(
            "SELECT ",
            run_columns!(),
            ", d.number, d.at, d.status, d.changed FROM due d LEFT JOIN runs r ON r.number = d.run \
             LEFT JOIN threads t ON t.number = r.thread \
             LEFT JOIN principals p ON p.number = t.principal ORDER BY d.number LIMIT ?1"
        ))?
        .query_and_then([AT_ONCE], DueRow::read)?
        .collect::<Result<_>>()?;
    let Some(last) = rows.last().map(|row| row.number) else {
        return Ok(false);
    };
    let more = rows.len() == AT_ONCE;
    writing.due = writing.due.saturating_sub(rows.len());
    let mut books: HashMap<Principal, DueBook> = HashMap::new();
    let mut numbers = ChangeNumbers::new(writing.connection)?;
    // One principal after the other would change the numbers; so each has a book that is open until the end.
    for mut row in rows {
        // Runs of a thread or principal that is gone have nothing to say.
        let Some(run) = row.run.take() else { continue };
        let book = match books.entry(run.principal.clone()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let owner = OntologyOwner::current(writing.connection, &run.principal, row.at)?;
                new.insert(DueBook::new(owner.number))
            }
        };
        book.take(writing, &mut numbers, &run, row)?;
    }
    for (principal, book) in books {
        book.write(writing, &principal)?;
    }
    numbers.write(writing.connection)?;
    writing
        .connection
        .prepare_cached("DELETE FROM due WHERE number <= ?1")?
        .execute([last])?;
    Ok(more)
}

/// Brings things of messages up to date, as of the end of a run that has been worked off otherwise.
pub(super) fn keep_messages(
    writing: &mut WriteContext<'_>,
    run: i64,
    at: Timestamp,
    messages: Vec<(usize, String, String)>,
) -> Result<()> {
    catch_up(writing)?;
    let run: Option<DueRun> = writing
        .connection
        .prepare_cached(concat!(
            "SELECT ",
            run_columns!(),
            " FROM runs r JOIN threads t ON t.number = r.thread \
             JOIN principals p ON p.number = t.principal WHERE r.number = ?1"
        ))?
        .query_and_then([run], |row| {
            DueRun::read(row, &row.get::<_, String>(0)?, at)
        })?
        .next()
        .transpose()?;
    let Some(run) = run else { return Ok(()) };
    let mut book =
        DueBook::new(OntologyOwner::current(writing.connection, &run.principal, at)?.number);
    let mut numbers = ChangeNumbers::new(writing.connection)?;
    for (position, id, role) in messages {
        let kept = (position, id.as_str(), role.as_str());
        book.keep_message(writing, &mut numbers, &run, at, kept)?;
    }
    numbers.write(writing.connection)?;
    book.write(writing, &run.principal)
}

/// Whether anything is due.
pub(super) fn is_any(connection: &rusqlite::Connection) -> Result<bool> {
    let found: Option<i64> = connection
        .prepare_cached("SELECT 1 FROM due LIMIT 1")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(found.is_some())
}

/// A row.
struct DueRow {
    number: i64,
    at: Timestamp,
    status: Option<RunStatus>,
    changed: ConversationChange,
    /// None if it is gone.
    run: Option<DueRun>,
}

/// The run of a row, and its thread as it was then.
struct DueRun {
    principal: Principal,
    id: String,
    agent: String,
    thread: Thread,
}

impl DueRow {
    fn read(row: &Row<'_>) -> Result<Self> {
        let at = Timestamp(row.get(FIRST + 1)?);
        let status = row.get::<_, Option<i64>>(FIRST + 2)?;
        let status = status.map(status_of).transpose()?;
        let changed = match row.get_ref(FIRST + 3)?.as_blob_or_null() {
            Ok(Some(bytes)) => ConversationChange::from_bytes(bytes)
                .ok_or_else(|| StoreError::corrupt("what a run has changed"))?,
            _ => ConversationChange::default(),
        };
        let run = match row.get::<_, Option<String>>(0)? {
            Some(principal) => Some(DueRun::read(row, &principal, at)?),
            None => None,
        };
        Ok(Self {
            number: row.get(FIRST)?,
            at,
            status,
            changed,
            run,
        })
    }
}

impl DueRun {
    /// Only runs change when a thread was last used without working this off first: it is the time of the row.
    fn read(row: &Row<'_>, principal: &str, at: Timestamp) -> Result<Self> {
        let parent = row.get::<_, Option<String>>(7)?;
        let parent = match (parent, row.get::<_, Option<String>>(8)?) {
            (Some(thread), Some(run)) => Some((ThreadId::new(&thread)?, RunId::new(&run)?)),
            _ => None,
        };
        Ok(Self {
            principal: Principal::new(principal)?,
            id: row.get(1)?,
            agent: row.get(2)?,
            thread: Thread {
                id: ThreadId::new(&row.get::<_, String>(3)?)?,
                agent: row.get(4)?,
                title: row.get(5)?,
                archived: row.get(6)?,
                parent,
                created: Timestamp(row.get(9)?),
                updated: at,
            },
        })
    }
}

/// A principal's things while rows are worked off: each is read once and written once, however often it changes.
struct DueBook {
    owner: i64,
    things: HashMap<String, DuePage>,
}

/// Numbers for changes, counted up here and written once.
struct ChangeNumbers {
    before: u64,
    last: u64,
}

impl ChangeNumbers {
    fn new(connection: &rusqlite::Connection) -> Result<Self> {
        let last = ontology::change_count(connection)?;
        Ok(Self { before: last, last })
    }

    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    fn write(self, connection: &rusqlite::Connection) -> Result<()> {
        match self.last == self.before {
            true => Ok(()),
            false => ontology::set_change_count(connection, self.last),
        }
    }
}

/// A thing as it is by now, and the numbers of its first and its last change if it is to be written.
struct DuePage {
    thing: Option<Thing>,
    changed: Option<(u64, u64)>,
}

impl DueBook {
    fn new(owner: i64) -> Self {
        Self {
            owner,
            things: HashMap::new(),
        }
    }

    fn take(
        &mut self,
        writing: &mut WriteContext<'_>,
        numbers: &mut ChangeNumbers,
        run: &DueRun,
        row: DueRow,
    ) -> Result<()> {
        let (at, status, changed) = (row.at, row.status, row.changed);
        let principal = &run.principal;
        let names = (run.thread.id.as_str(), run.id.as_str());
        let event = match status {
            None => {
                let agent = projection::agent(principal, &run.agent, at);
                self.keep_first(writing, numbers, agent)?;
                projection::began(principal, names, &run.agent, at)
            }
            Some(status) => projection::ended(principal, names, &run.agent, status, at),
        };
        let conversation = projection::conversation(principal, &run.thread);
        self.keep(writing, numbers, conversation)?;
        ontology_rows::insert(
            writing.connection,
            self.owner,
            &OntologyRecord::Event(event),
        )?;
        for (position, id, role) in changed.kept {
            let kept = (position, id.as_str(), role.as_str());
            self.keep_message(writing, numbers, run, at, kept)?;
        }
        for id in changed.hidden {
            self.archive(writing, numbers, &message_id(names.0, &id), at)?;
        }
        Ok(())
    }

    fn keep_message(
        &mut self,
        writing: &mut WriteContext<'_>,
        numbers: &mut ChangeNumbers,
        run: &DueRun,
        at: Timestamp,
        (position, id, role): (usize, &str, &str),
    ) -> Result<()> {
        let named = (id, role);
        if !projection::can_be_a_thing(id, role) {
            return Ok(());
        }
        let (principal, thread) = (&run.principal, run.thread.id.as_str());
        let thing = projection::message(principal, thread, position, named, at);
        let before = &self.page(writing, &thing.id)?.thing;
        let is_new = before.as_ref().is_none_or(|it| it.deleted.is_some());
        self.keep(writing, numbers, thing)?;
        if is_new {
            for record in projection::sent(principal, thread, &run.agent, named, at) {
                ontology_rows::insert(writing.connection, self.owner, &record)?;
            }
        }
        Ok(())
    }

    fn page(&mut self, writing: &WriteContext<'_>, id: &str) -> Result<&mut DuePage> {
        if !self.things.contains_key(id) {
            let thing = ontology::thing(writing.connection, self.owner, id)?;
            let page = DuePage {
                thing,
                changed: None,
            };
            self.things.insert(id.to_owned(), page);
        }
        self.things
            .get_mut(id)
            .ok_or_else(|| StoreError::corrupt("a thing that was just read"))
    }

    /// Writes a thing that the store keeps itself: it stays as old as it is.
    fn keep(
        &mut self,
        writing: &WriteContext<'_>,
        numbers: &mut ChangeNumbers,
        new: Thing,
    ) -> Result<()> {
        let page = self.page(writing, &new.id)?;
        let created = match &page.thing {
            Some(before) if before.deleted.is_none() => before.created,
            _ => new.created,
        };
        let new = Thing { created, ..new };
        if page.thing.as_ref() != Some(&new) {
            page.put(numbers, new);
        }
        Ok(())
    }

    /// Writes a thing that the store keeps itself, unless it is there.
    fn keep_first(
        &mut self,
        writing: &WriteContext<'_>,
        numbers: &mut ChangeNumbers,
        new: Thing,
    ) -> Result<()> {
        let page = self.page(writing, &new.id)?;
        match &page.thing {
            Some(before) if before.deleted.is_none() => {}
            _ => page.put(numbers, new),
        }
        Ok(())
    }

    fn archive(
        &mut self,
        writing: &WriteContext<'_>,
        numbers: &mut ChangeNumbers,
        id: &str,
        at: Timestamp,
    ) -> Result<()> {
        let page = self.page(writing, id)?;
        match &page.thing {
            Some(before) if before.status != "archived" => {
                let archived = Thing {
                    status: "archived".to_owned(),
                    updated: at,
                    ..before.clone()
                };
                page.put(numbers, archived);
            }
            _ => {}
        }
        Ok(())
    }

    fn write(self, writing: &mut WriteContext<'_>, principal: &Principal) -> Result<()> {
        let mut changed: Vec<((u64, u64), Thing)> = self
            .things
            .into_values()
            .filter_map(|page| Some((page.changed?, page.thing?)))
            .collect();
        // New rows are in the order they would have been written in one by one.
        changed.sort_unstable_by_key(|((first, _), _)| *first);
        for ((_, last), thing) in &changed {
            ontology_rows::insert_thing(writing.connection, self.owner, thing, *last)?;
        }
        if let Some(last) = changed.iter().map(|((_, last), _)| *last).max() {
            writing.changed(principal, last);
        }
        Ok(())
    }
}

impl DuePage {
    fn put(&mut self, numbers: &mut ChangeNumbers, new: Thing) {
        if let Some(before) = &self.thing
            && new.check_succeeds(before).is_err()
        {
            // Somebody has put another thing there, which stays.
            return;
        }
        let number = numbers.next();
        let first = self.changed.map_or(number, |(first, _)| first);
        self.changed = Some((first, number));
        self.thing = Some(new);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_changed_is_read_back(
            kept in proptest::collection::vec((0usize..9_999, ".{0,9}", "[a-z]{0,9}"), 0..9),
            hidden in proptest::collection::vec(".{0,9}", 0..9),
        ) {
            let changed = ConversationChange { kept, hidden };
            prop_assert_eq!(ConversationChange::from_bytes(&changed.to_bytes()), Some(changed));
        }

        #[test]
        fn foreign_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..99)) {
            let _ = ConversationChange::from_bytes(&bytes);
        }
    }
}
