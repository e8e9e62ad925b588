//! Events of a thread: a replay followed by live events, or a page.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use gateway::Key;
use store::Sequence;

use super::extract::ThreadKey;
use super::{last_event_id, ok};
use crate::api::{EventPage, EventsQuery, NumberedEvent, RawJson};
use crate::error::{ApiError, ErrorCode};
use crate::event_response;
use crate::state::AppState;
use crate::stream_body::StreamBody;

/// Events of a page if the request names no limit.
const DEFAULT_PAGE: usize = 1_000;
/// Maximum number of events of a page.
const MAX_PAGE: usize = 10_000;

/// Streams the events of a thread, or returns a page of them to clients that accept JSON only.
pub(super) async fn events(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
    Query(query): Query<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    // A reconnecting client sends the header, but the query of its first request: the header wins.
    let after = last_event_id(&headers).or(query.after);
    if event_response::accepts_json_only(&headers) {
        let limit = query.limit.unwrap_or(DEFAULT_PAGE).clamp(1, MAX_PAGE);
        return page(&app, &key, after.unwrap_or(0), limit).await;
    }
    let encoding = event_response::accepted_encoding(&headers);
    let subscriber = match after {
        Some(after) => {
            let events = app.store.events(&key.0, &key.1, after, 1).await?;
            if after > events.last {
                return Err(ApiError::new(
                    ErrorCode::InvalidInput,
                    format!(
                        "`after` is {after}, but the last event of the thread is {}",
                        events.last
                    ),
                    "Leave out `after` to start with a snapshot of the thread",
                ));
            }
            app.runs.subscribe(key, after, encoding.into())
        }
        None => {
            let format = encoding.into();
            app.runs.subscribe_with_snapshot(key, format).await?
        }
    };
    let subscriber = match query.live {
        Some(false) => subscriber.until_idle(),
        _ => subscriber,
    };
    Ok(event_response::streamed(
        encoding,
        StreamBody::Thread(Box::new(subscriber)).into(),
    ))
}

async fn page(
    app: &AppState,
    key: &Key,
    after: Sequence,
    limit: usize,
) -> Result<Response, ApiError> {
    let events = app.store.events(&key.0, &key.1, after, limit).await?;
    let items = events.iter().map(|(sequence, json)| NumberedEvent {
        sequence,
        event: RawJson::from_stored(json).into(),
    });
    ok(&EventPage {
        items: items.collect(),
        next: events.next(),
    })
}
