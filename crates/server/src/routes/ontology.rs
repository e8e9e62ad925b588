//! Queries over the ontology: things, connections, events and knowledge of the principal.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use serde_json::{Value, json};
use store::{
    ConnectionQuery, EventQuery, KnowledgeQuery, Listing, Principal, QueryChange, ThingQuery,
};

use super::export::{connection_line, event_line, knowledge_line, thing_line};
use super::{last_event_id, ok};
use crate::access::Caller;
use crate::api::{
    ConnectionsQuery, ExportLine, ItemPage, KnowledgeListQuery, OntologyEventsQuery, PageQuery,
    ThingsQuery,
};
use crate::error::ApiError;
use crate::event_response;
use crate::state::AppState;
use crate::stream_body::{Disconnected, PieceSender, StreamBody};

/// Changes that are read at a time.
const CHANGES: usize = 500;
/// Pieces that may wait for a slow client.
const WAITING: usize = 16;

/// Lists things, or streams them and their changes.
pub(super) async fn things(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<ThingsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let selected = ThingQuery {
        group: None,
        kind: query.r#type,
        within: query.within,
        status: query.status,
    };
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    if accept.is_some_and(|accept| accept.contains("text/event-stream")) {
        let after = last_event_id(&headers);
        let after = after
            .or_else(|| query.after.as_ref()?.parse().ok())
            .unwrap_or(0);
        return Ok(live(app, caller.principal, selected, after));
    }
    let page = PageQuery::new(query.after, query.limit).request()?;
    let listed = app
        .store
        .things(&caller.principal, &selected, &page)
        .await?;
    listed_as(listed, thing_line)
}

/// Lists connections.
pub(super) async fn connections(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<ConnectionsQuery>,
) -> Result<Response, ApiError> {
    let selected = ConnectionQuery {
        group: None,
        from: query.from,
        to: query.to,
        kind: query.r#type,
        valid_at: None,
    };
    let page = PageQuery::new(query.after, query.limit).request()?;
    let listed = app
        .store
        .connections(&caller.principal, &selected, &page)
        .await?;
    listed_as(listed, connection_line)
}

/// Lists events.
pub(super) async fn events(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<OntologyEventsQuery>,
) -> Result<Response, ApiError> {
    let selected = EventQuery {
        group: None,
        kind: query.r#type,
        actor: query.actor,
        target: query.target,
    };
    let page = PageQuery::new(query.after, query.limit).request()?;
    let listed = app
        .store
        .ontology_events(&caller.principal, &selected, &page)
        .await?;
    listed_as(listed, event_line)
}

/// Lists knowledge, such as labels.
pub(super) async fn knowledge(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<KnowledgeListQuery>,
) -> Result<Response, ApiError> {
    let selected = KnowledgeQuery {
        group: None,
        kind: query.r#type,
        source: None,
        thing: query.thing,
    };
    let page = PageQuery::new(query.after, query.limit).request()?;
    let listed = app
        .store
        .knowledge(&caller.principal, &selected, &page)
        .await?;
    listed_as(listed, knowledge_line)
}

fn listed_as<T>(listed: Listing<T>, line: impl Fn(T) -> ExportLine) -> Result<Response, ApiError> {
    ok(&ItemPage {
        items: listed.items.into_iter().map(line).collect::<Vec<_>>(),
        next: listed.next,
    })
}

/// Streams the things of a query, then their changes. The id of an event is the position to continue from.
fn live(app: Arc<AppState>, principal: Principal, query: ThingQuery, after: u64) -> Response {
    let (sender, body) = StreamBody::channel(WAITING);
    tokio::spawn(async move {
        // The client has left, or the store is closed: either ends the stream.
        let _ = send_changes(&app, &principal, &query, after, &sender).await;
    });
    event_response::streamed(agui::negotiate::Encoding::Sse, body.into())
}

async fn send_changes(
    app: &AppState,
    principal: &Principal,
    query: &ThingQuery,
    mut after: u64,
    sender: &PieceSender,
) -> Result<(), Disconnected> {
    loop {
        let read = app.store.changes(principal, query, after, CHANGES).await;
        let Ok(cursor) = read else {
            return Err(Disconnected);
        };
        for change in cursor.changes {
            let (name, value) = match change {
                QueryChange::Put(thing) => (
                    "put",
                    serde_json::to_value(thing_line(thing)).unwrap_or(Value::Null),
                ),
                QueryChange::Removed { id } => ("removed", json!({ "id": id })),
            };
            sender.named_event(cursor.at, name, &value).await?;
        }
        after = cursor.at;
        if cursor.more {
            continue;
        }
        tokio::select! {
            changed = app.store.changed(principal, after) => {
                if changed.is_err() {
                    return Err(Disconnected);
                }
            }
            () = sender.closed() => return Err(Disconnected),
        }
    }
}
