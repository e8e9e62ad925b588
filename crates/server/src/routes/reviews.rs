//! Reviews of citations.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use gateway::read_time;
use json::Value;
use store::{CitationReview, Principal};

use super::evidence::find_verification;
use super::extract::JsonBody;
use super::{json, ok, time_text};
use crate::access::Caller;
use crate::api::{ReviewInfo, ReviewList, ReviewRequest, non_empty};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Adds a step to the review of a citation, and shows it in the state of every thread with the citation.
pub(super) async fn add(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(key): Path<String>,
    JsonBody(body): JsonBody<ReviewRequest>,
) -> Result<Response, ApiError> {
    let at = match body.at {
        None => app.now(),
        Some(at) => read_time(&at.into_value()).ok_or_else(|| {
            ApiError::new(
                ErrorCode::InvalidInput,
                "`at` is not a time",
                "Send RFC 3339, such as \"2026-11-18T12:00:00Z\", or milliseconds since 1970",
            )
        })?,
    };
    let review = CitationReview {
        key: citation_key(&app, &caller.principal, &key).await?,
        action: body.action.into(),
        at,
        note: non_empty(body.note),
    };
    app.store.review(&caller.principal, review.clone()).await?;
    let info = describe(&review);
    let value = serde_json::to_string(&info).unwrap_or_default();
    let value = Value::parse(&value).unwrap_or(Value::Null);
    let published = app
        .gateway
        .publish_review(&caller.principal, &review, &value);
    published.await?;
    json(StatusCode::CREATED, &info)
}

/// Lists the review of a citation.
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(key): Path<String>,
) -> Result<Response, ApiError> {
    let key = citation_key(&app, &caller.principal, &key).await?;
    let reviews = app.store.reviews(&caller.principal, &key).await?;
    ok(&ReviewList {
        items: reviews.iter().map(describe).collect(),
    })
}

/// Returns the key of an existing citation, which is named by its key or the id of its evidence.
async fn citation_key(
    app: &AppState,
    principal: &Principal,
    key: &str,
) -> Result<String, ApiError> {
    Ok(find_verification(app, principal, key).await?.key)
}

fn describe(review: &CitationReview) -> ReviewInfo {
    ReviewInfo {
        key: review.key.clone(),
        action: review.action.into(),
        at: time_text(review.at),
        note: review.note.clone(),
    }
}
