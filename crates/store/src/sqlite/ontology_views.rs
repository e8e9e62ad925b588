//! The ontology's view of threads, messages, documents, agents and runs: queries over their tables.
//!
//! Every list follows an index by principal and time. Conditions on a role, an agent or a status are checked
//! while the index is read; conditions that select one thread or one message narrow the query instead.

use rusqlite::types::Value;
use rusqlite::{Connection, Row};

use super::ontology_list::{ListQuery, ListSource};
use super::runs::run_columns;
use super::{attachments, runs, threads};
use crate::error::{Result, StoreError};
use crate::ids::{Principal, ThreadId, Timestamp};
use crate::ontology::derived::{self, DerivedId, ThreadMessage};
use crate::ontology::{
    ConnectionQuery, EventQuery, OntologyEvent, Thing, ThingConnection, ThingQuery,
};

const MESSAGE_COLUMNS: &str =
    "t.id, m.id, m.role, m.agent, m.position, m.archived, m.created, m.updated";
const MESSAGES: &str = "messages m CROSS JOIN threads t ON t.number = m.thread";
const RUN_COLUMNS: &str = concat!(run_columns!(), ", t.id");
const RUNS: &str = "runs r CROSS JOIN threads t ON t.number = r.thread";

static CONVERSATION_THINGS: ListSource<Thing> = ListSource {
    columns: "t.id, t.agent, t.title, t.archived, t.parent_thread, t.parent_run, t.created, t.updated",
    from: "threads t",
    owner: "t.principal",
    time: "t.created",
    number: "t.number",
    changed: "t.changed",
    rank: 1,
    read: |row, principal| Ok(derived::conversation(principal, &threads::thread(row)?)),
};

static MESSAGE_THINGS: ListSource<Thing> = ListSource {
    columns: MESSAGE_COLUMNS,
    from: MESSAGES,
    owner: "m.principal",
    time: "m.created",
    number: "m.number",
    changed: "m.changed",
    rank: 2,
    read: |row, principal| Ok(message(row)?.thing(principal)),
};

/// Documents by their first attachment of the principal; see [`FIRST_ATTACHMENT`].
static DOCUMENT_THINGS: ListSource<Thing> = ListSource {
    columns: "d.id, d.media_type, d.size, d.pages, d.title, d.status, d.reason, a.created, \
              (SELECT latest.name FROM attachments latest WHERE latest.document = a.document \
               AND latest.principal = a.principal ORDER BY latest.created DESC, latest.id DESC LIMIT 1)",
    from: "attachments a CROSS JOIN documents d ON d.number = a.document",
    owner: "a.principal",
    time: "a.created",
    number: "a.number",
    changed: "a.changed",
    rank: 3,
    read: |row, principal| {
        let name: String = row.get(8)?;
        Ok(derived::document(
            principal,
            &name,
            &attachments::document(row)?,
        ))
    },
};
const FIRST_ATTACHMENT: &str = "NOT EXISTS (SELECT 1 FROM attachments earlier \
    WHERE earlier.document = a.document AND earlier.principal = a.principal \
    AND (earlier.created, earlier.number) < (a.created, a.number))";

static AGENT_THINGS: ListSource<Thing> = ListSource {
    columns: "g.name, g.created",
    from: "agents g",
    owner: "g.principal",
    time: "g.created",
    number: "g.number",
    changed: "g.changed",
    rank: 4,
    read: |row, principal| {
        let name: String = row.get(0)?;
        Ok(derived::agent(principal, &name, Timestamp(row.get(1)?)))
    },
};

/// Deleted threads, messages and documents, as deleted things.
static REMOVED_THINGS: ListSource<Thing> = ListSource {
    columns: "x.id, x.kind, x.within",
    from: "removed_things x",
    owner: "x.principal",
    time: "",
    number: "",
    changed: "x.changed",
    rank: 0,
    read: |row, principal| {
        let kind: String = row.get(1)?;
        let removed = derived::removed(principal, &kind, row.get(0)?);
        Ok(Thing {
            within: row.get(2)?,
            ..removed
        })
    },
};

static SENT_BY: ListSource<ThingConnection> = ListSource {
    columns: MESSAGE_COLUMNS,
    from: MESSAGES,
    owner: "m.principal",
    time: "m.created",
    number: "m.number",
    changed: "",
    rank: 2,
    read: |row, principal| Ok(message(row)?.sent_by(principal)),
};

static BELONGS_TO: ListSource<ThingConnection> = ListSource {
    columns: MESSAGE_COLUMNS,
    from: MESSAGES,
    owner: "m.principal",
    time: "m.created",
    number: "m.number",
    changed: "",
    rank: 1,
    read: |row, principal| Ok(message(row)?.belongs_to(principal)),
};

static RUN_STARTED: ListSource<OntologyEvent> = ListSource {
    columns: RUN_COLUMNS,
    from: RUNS,
    owner: "r.principal",
    time: "r.started",
    number: "r.number",
    changed: "",
    rank: 1,
    read: |row, principal| {
        let run = runs::run(row)?.run;
        Ok(derived::run_started(principal, &thread_id(row)?, &run))
    },
};

static RUN_ENDED: ListSource<OntologyEvent> = ListSource {
    columns: RUN_COLUMNS,
    from: RUNS,
    owner: "r.principal",
    time: "r.ended",
    number: "r.number",
    changed: "",
    rank: 2,
    read: |row, principal| {
        let run = runs::run(row)?.run;
        derived::run_ended(principal, &thread_id(row)?, &run)
            .ok_or_else(|| StoreError::corrupt("a run without an end in the index of ends"))
    },
};

static MESSAGE_SENT: ListSource<OntologyEvent> = ListSource {
    columns: MESSAGE_COLUMNS,
    from: MESSAGES,
    owner: "m.principal",
    time: "m.created",
    number: "m.number",
    changed: "",
    rank: 3,
    read: |row, principal| Ok(message(row)?.sent(principal)),
};

fn message(row: &Row<'_>) -> Result<ThreadMessage> {
    Ok(ThreadMessage {
        thread: ThreadId::new(&row.get::<_, String>(0)?)?,
        id: row.get(1)?,
        role: row.get(2)?,
        agent: row.get(3)?,
        position: row.get::<_, i64>(4)?.unsigned_abs(),
        archived: row.get(5)?,
        created: Timestamp(row.get(6)?),
        updated: Timestamp(row.get(7)?),
    })
}

fn thread_id(row: &Row<'_>) -> Result<ThreadId> {
    ThreadId::new(&row.get::<_, String>(9)?)
}

/// Number of the thread with a principal's number and an id.
macro_rules! thread_number {
    () => {
        "(SELECT number FROM threads WHERE principal = ? AND id = ?)"
    };
}

/// Principal whose records are read.
pub(super) struct ViewOwner<'a> {
    pub(super) principal: &'a Principal,
    pub(super) number: i64,
}

impl ViewOwner<'_> {
    /// Returns true if a query can select derived records: all are in the principal's own group.
    fn is_selected(&self, group: Option<&String>) -> bool {
        group.is_none_or(|group| group == self.principal.as_str())
    }

    /// Selects the rows of one thread.
    fn of_thread<T>(
        &self,
        source: &'static ListSource<T>,
        column: &str,
        thread: &str,
    ) -> ListQuery<T> {
        let condition = format!("{column} = {}", thread_number!());
        let values = vec![Value::Integer(self.number), Value::Text(thread.to_owned())];
        ListQuery::narrow(source, &condition, values)
    }

    /// Selects one message.
    fn of_message<T>(
        &self,
        source: &'static ListSource<T>,
        thread: &str,
        message: &str,
    ) -> ListQuery<T> {
        let id = Value::Text(message.to_owned());
        self.of_thread(source, "m.thread", thread)
            .with("m.id = ?", [id])
    }

    /// Selects the derived things that a query can match. A live query that continues must not select by
    /// status, because it reports things that have left its status.
    pub(super) fn things(&self, query: &ThingQuery, by_status: bool) -> Vec<ListQuery<Thing>> {
        if !self.is_selected(query.group.as_ref()) {
            return Vec::new();
        }
        let status = query.status.as_deref().filter(|_| by_status);
        let is_selected = |kind: &str, statuses: &[&str]| {
            query.kind.as_deref().is_none_or(|wanted| wanted == kind)
                && status.is_none_or(|wanted| statuses.contains(&wanted))
        };
        let is_message = is_selected("message", &["active", "archived"]);
        if let Some(whole) = &query.within {
            return match DerivedId::parse(whole) {
                Some(DerivedId::Conversation(thread)) if is_message => {
                    vec![self.of_thread(&MESSAGE_THINGS, "m.thread", thread)]
                }
                _ => Vec::new(),
            };
        }
        let mut queries = Vec::new();
        let mut add_archivable = |source: &'static ListSource<Thing>, condition: &str| {
            let query = ListQuery::new(source, self.number);
            queries.push(match status {
                Some("archived") => query.with(condition, []),
                _ => query,
            });
        };
        if is_selected("conversation", &["active", "archived"]) {
            add_archivable(&CONVERSATION_THINGS, "t.archived = 1");
        }
        if is_message {
            add_archivable(&MESSAGE_THINGS, "m.archived = 1");
        }
        if is_selected("document", &["draft", "active", "inactive"]) {
            let documents = ListQuery::new(&DOCUMENT_THINGS, self.number);
            queries.push(documents.with(FIRST_ATTACHMENT, []));
        }
        if is_selected("agent", &["active"]) {
            let owner = vec![Value::Integer(self.number)];
            queries.push(ListQuery::narrow(&AGENT_THINGS, "g.principal = ?", owner));
        }
        queries
    }

    /// Selects the deletions of derived things that a live query can match.
    pub(super) fn removed_things(&self, query: &ThingQuery) -> Option<ListQuery<Thing>> {
        self.is_selected(query.group.as_ref()).then(|| {
            ListQuery::new(&REMOVED_THINGS, self.number)
                .equal("x.kind", query.kind.as_ref())
                .equal("x.within", query.within.as_ref())
        })
    }

    /// Reads a derived thing.
    pub(super) fn thing(&self, database: &Connection, id: DerivedId<'_>) -> Result<Option<Thing>> {
        let own = |source, condition: &str, value: &str| {
            ListQuery::new(source, self.number).with(condition, [Value::Text(value.to_owned())])
        };
        let query = match id {
            DerivedId::Conversation(thread) => own(&CONVERSATION_THINGS, "t.id = ?", thread),
            DerivedId::Message(thread, message) => {
                self.of_message(&MESSAGE_THINGS, thread, message)
            }
            DerivedId::Agent(name) => own(&AGENT_THINGS, "g.name = ?", name),
            DerivedId::Document(content) => {
                let document = "a.document = (SELECT number FROM documents WHERE id = ?)";
                own(&DOCUMENT_THINGS, document, content).with(FIRST_ATTACHMENT, [])
            }
        };
        query.first(database, self.principal)
    }

    /// Selects the derived connections that a query can match.
    pub(super) fn connections(&self, query: &ConnectionQuery) -> Vec<ListQuery<ThingConnection>> {
        let mut queries = Vec::new();
        if !self.is_selected(query.group.as_ref()) {
            return queries;
        }
        let target = query.to.as_deref().map(DerivedId::parse);
        for (kind, source) in [("sent_by", &SENT_BY), ("belongs_to", &BELONGS_TO)] {
            if query.kind.as_deref().is_some_and(|wanted| wanted != kind) {
                continue;
            }
            queries.extend(
                match (query.from.as_deref().map(DerivedId::parse), target) {
                    (Some(Some(DerivedId::Message(thread, message))), _) => {
                        Some(self.of_message(source, thread, message))
                    }
                    (Some(_), _) => None,
                    (None, Some(Some(DerivedId::Conversation(thread)))) => {
                        (kind == "belongs_to").then(|| self.of_thread(source, "m.thread", thread))
                    }
                    (None, Some(_)) if kind == "belongs_to" => None,
                    (None, _) => Some(ListQuery::new(source, self.number)),
                },
            );
        }
        queries
    }

    /// Selects the derived events that a query can match.
    pub(super) fn events(&self, query: &EventQuery) -> Vec<ListQuery<OntologyEvent>> {
        let mut queries = Vec::new();
        if !self.is_selected(query.group.as_ref()) {
            return queries;
        }
        let is_kind = |kinds: &[&str]| {
            let kind = query.kind.as_deref();
            kind.is_none_or(|wanted| kinds.contains(&wanted))
        };
        let target = query.target.as_deref().map(DerivedId::parse);
        let of_run = |source| match target {
            None => Some(ListQuery::new(source, self.number)),
            Some(Some(DerivedId::Conversation(thread))) => {
                Some(self.of_thread(source, "r.thread", thread))
            }
            Some(_) => None,
        };
        if is_kind(&["agent_executed"]) {
            queries.extend(of_run(&RUN_STARTED));
        }
        if is_kind(&["agent_completed", "agent_failed"]) {
            let ended = |query: ListQuery<_>| query.with("r.ended IS NOT NULL", []);
            queries.extend(of_run(&RUN_ENDED).map(ended));
        }
        if is_kind(&["user_message_sent", "agent_message_sent"]) {
            queries.extend(match target {
                None => Some(ListQuery::new(&MESSAGE_SENT, self.number)),
                Some(Some(DerivedId::Message(thread, message))) => {
                    Some(self.of_message(&MESSAGE_SENT, thread, message))
                }
                Some(_) => None,
            });
        }
        queries
    }
}
