//! What readers said of citations.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use citation_stream::{ThreadMemory, amend_review};
use citations::CitationKey;
use json::{Json, Map, Value};
use store::{CitationReview, Principal, ReviewAction, Timestamp};

use super::documents::moment;
use super::{RequestMembers, json, object, ok};
use crate::access::Caller;
use crate::app::AppState;
use crate::error::{ApiError, ErrorCode};
use crate::gateway::options;

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
        Some(at) => at_of(at).ok_or_else(|| invalid("at is no moment"))?,
    };
    let review = CitationReview {
        key: known(&app, &caller.principal, &key).await?,
        action,
        at,
        note: members.text("note")?.map(str::to_owned),
    };
    app.store.review(&caller.principal, review.clone()).await?;
    show(&app, &caller.principal, &review).await?;
    Ok(json(StatusCode::CREATED, &described(&review)))
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

/// Writes the review into the states of the threads that cite, as soon as no run goes on there.
async fn show(
    app: &Arc<AppState>,
    principal: &Principal,
    review: &CitationReview,
) -> Result<(), ApiError> {
    let Some(key) = CitationKey::from_hex(&review.key) else {
        return Ok(());
    };
    for thread in app.store.citing_threads(principal, &review.key).await? {
        let Some(run) = app.store.last_run(principal, &thread).await? else {
            continue;
        };
        let (app, value) = (app.clone(), described(review));
        let place = (principal.clone(), thread);
        tokio::spawn(async move {
            let options = options(&app.settings.citations, false);
            let change = |recalled: &ThreadMemory| {
                amend_review(recalled, &options, key, &value).unwrap_or_default()
            };
            if let Err(error) = app.runs.amend(&place, &run.id, change).await {
                tracing::warn!(thread = %place.1, %error, "a review could not be shown");
            }
        });
    }
    Ok(())
}

/// A review that a client wrote into its state.
pub(crate) fn read(key: CitationKey, review: &Json) -> Option<CitationReview> {
    let value = review.value();
    Some(CitationReview {
        key: key.to_string(),
        action: ReviewAction::parse(value.get("action")?.as_str()?)?,
        at: at_of(value.get("at")?)?,
        note: value.get("note").and_then(Value::as_str).map(str::to_owned),
    })
}

/// A moment: milliseconds since 1970, or a text.
fn at_of(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(number) => number.as_safe_int().map(Timestamp),
        Value::String(text) => {
            let at: jiff::Timestamp = text.parse().ok()?;
            Some(Timestamp(at.as_millisecond()))
        }
        _ => None,
    }
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
