//! What readers said of citations.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use gateway::read_time;
use json::{Map, Value};
use store::{CitationReview, Principal, ReviewAction};

use super::documents::moment;
use super::{RequestMembers, json, object, ok};
use crate::access::Caller;
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Writes down a step of a review: `{action, at?, note?}`.
pub(super) async fn add(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(key): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = object(body)?;
    let invalid = |message: &str| {
        ApiError::new(
            ErrorCode::InvalidInput,
            message,
            "send {\"action\":\"accepted\"}, or opened, closed, disputed; at and note if you like",
        )
    };
    let members = RequestMembers::of(&body);
    let action = members.text("action")?;
    let action = action.and_then(ReviewAction::parse);
    let action = action.ok_or_else(|| invalid("action is missing or no action"))?;
    let at = match body.get("at") {
        None | Some(Value::Null) => app.now(),
        Some(at) => read_time(at).ok_or_else(|| invalid("at is no moment"))?,
    };
    let review = CitationReview {
        key: known(&app, &caller.principal, &key).await?,
        action,
        at,
        note: members.text("note")?.map(str::to_owned),
    };
    app.store.review(&caller.principal, review.clone()).await?;
    let described = described(&review);
    let published = app
        .gateway
        .publish_review(&caller.principal, &review, &described);
    published.await?;
    Ok(json(StatusCode::CREATED, &described))
}

/// The steps of the review of a citation, the last first.
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<Response, ApiError> {
    let key = known(&app, &caller.principal, &key).await?;
    let reviews = app.store.reviews(&caller.principal, &key).await?;
    let items = reviews.iter().map(described).collect();
    Ok(ok(&Value::from([("items", Value::Array(items))])))
}

/// The key of a citation that there is.
async fn known(app: &AppState, principal: &Principal, key: &str) -> Result<String, ApiError> {
    Ok(super::evidence::stored(app, principal, key).await?.key)
}

fn described(review: &CitationReview) -> Value {
    let mut map = Map::new();
    map.insert("key".to_owned(), review.key.as_str().into());
    map.insert("action".to_owned(), review.action.as_str().into());
    map.insert("at".to_owned(), moment(review.at).into());
    if let Some(note) = &review.note {
        map.insert("note".to_owned(), note.as_str().into());
    }
    Value::Object(map)
}
