//! Music credits: works, search, feedback, corrections and the review queue.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use gateway::{NewFeedback, SeenVersion, WorkListQuery, WorkSort};
use serde::Serialize;

use super::extract::JsonBody;
use super::{json, ok};
use crate::access::Caller;
use crate::api::{
    ApprovalRequest, ApprovalResponse, ApprovedItem, AttributionHistory, AttributionHit,
    AttributionListQuery, AttributionSearchQuery, FeedbackRequest, FeedbackResponse, OffsetQuery,
    ReviewQueueItem, assurance_level,
};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Largest number of records of one approval.
const MAX_APPROVALS: usize = 1_000;

/// Returns a list with the number of all items in the header `X-Total-Count`.
pub(super) fn counted(items: &impl Serialize, total: usize) -> Result<Response, ApiError> {
    let mut response = ok(items)?;
    response.headers_mut().insert(
        HeaderName::from_static("x-total-count"),
        HeaderValue::from(total),
    );
    Ok(response)
}

/// Returns a limit from 1 to 100.
pub(super) fn limit(limit: Option<usize>, default: usize) -> Result<usize, ApiError> {
    let limit = limit.unwrap_or(default);
    match (1..=100).contains(&limit) {
        true => Ok(limit),
        false => Err(invalid(
            "`limit` must be a number from 1 to 100",
            "Read longer lists with `offset`",
        )),
    }
}

fn invalid(message: &str, hint: &'static str) -> ApiError {
    ApiError::new(ErrorCode::InvalidInput, message, hint)
}

/// Lists works.
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<AttributionListQuery>,
) -> Result<Response, ApiError> {
    let sort = match query.sort.as_deref() {
        None | Some("confidence") => WorkSort::Confidence,
        Some("title") => WorkSort::Title,
        Some("updated") => WorkSort::Updated,
        Some("priority") => WorkSort::Priority,
        Some(_) => {
            return Err(invalid(
                "`sort` is not known",
                "Send confidence, title, updated or priority",
            ));
        }
    };
    let is_ascending = match query.order.as_deref() {
        None => sort == WorkSort::Title,
        Some("asc") => true,
        Some("desc") => false,
        Some(_) => return Err(invalid("`order` is not known", "Send asc or desc")),
    };
    let level = query.assurance_level.as_deref().map(|word| {
        assurance_level(word).ok_or_else(|| {
            invalid(
                "`assurance_level` is not known",
                "Send LEVEL_0, LEVEL_1, LEVEL_2 or LEVEL_3",
            )
        })
    });
    let request = WorkListQuery {
        needs_review: query.needs_review,
        assurance_level: level.transpose()?,
        sort,
        is_ascending,
        offset: query.offset.unwrap_or(0),
        limit: limit(query.limit, 50)?,
    };
    let list = app.gateway.music.works(&caller.principal, &request).await?;
    counted(&list.records, list.total)
}

/// Searches works.
pub(super) async fn search(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<AttributionSearchQuery>,
) -> Result<Response, ApiError> {
    if query.q.chars().count() > 500 {
        return Err(invalid(
            "`q` is longer than 500 characters",
            "Send fewer words",
        ));
    }
    let limit = limit(query.limit, 20)?;
    let found = app
        .gateway
        .music
        .search_works(&caller.principal, &query.q, limit)
        .await?;
    let hits: Vec<AttributionHit> = found
        .into_iter()
        .map(|found| AttributionHit {
            attribution: found.attribution,
            rrf_score: found.hit.score,
            ranks: found
                .hit
                .ranks
                .into_iter()
                .map(|(name, rank)| (name.to_owned(), rank))
                .collect(),
        })
        .collect();
    counted(&hits, hits.len())
}

/// Returns an attribution by its id or by that of its work.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    ok(&app
        .gateway
        .music
        .attribution(&caller.principal, &id)
        .await?)
}

/// Returns the history of an attribution.
pub(super) async fn provenance(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    let record = app
        .gateway
        .music
        .attribution(&caller.principal, &id)
        .await?;
    ok(&AttributionHistory {
        attribution_id: record.attribution_id,
        provenance_chain: record.provenance_chain,
        uncertainty_summary: record.uncertainty_summary,
    })
}

/// Stores feedback.
pub(super) async fn feedback(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
    JsonBody(body): JsonBody<FeedbackRequest>,
) -> Result<Response, ApiError> {
    let feedback = NewFeedback {
        reviewer_id: body
            .reviewer_id
            .unwrap_or_else(|| caller.principal.to_string()),
        reviewer_role: body.reviewer_role,
        attribution_version: body.attribution_version,
        corrections: body.corrections,
        overall_assessment: body.overall_assessment,
        free_text: body.free_text,
        evidence_type: body.evidence_type,
    };
    let (feedback, attribution) = app
        .gateway
        .music
        .add_feedback(&caller.principal, &id, feedback)
        .await?;
    json(
        StatusCode::CREATED,
        &FeedbackResponse {
            feedback,
            attribution,
        },
    )
}

/// Accepts a correction.
pub(super) async fn accept(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path((id, correction)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let reviewer = caller.principal.to_string();
    ok(&app
        .gateway
        .music
        .accept(&caller.principal, &id, &correction, &reviewer)
        .await?)
}

/// Rejects a correction.
pub(super) async fn reject(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path((id, correction)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let reviewer = caller.principal.to_string();
    ok(&app
        .gateway
        .music
        .reject(&caller.principal, &id, &correction, &reviewer)
        .await?)
}

/// Takes an accepted correction back.
pub(super) async fn undo(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path((id, correction)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let reviewer = caller.principal.to_string();
    ok(&app
        .gateway
        .music
        .undo(&caller.principal, &id, &correction, &reviewer)
        .await?)
}

/// Lists the works that need a review, the most urgent first.
pub(super) async fn queue(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Query(query): Query<OffsetQuery>,
) -> Result<Response, ApiError> {
    let limit = limit(query.limit, 50)?;
    let (items, total) = app
        .gateway
        .music
        .review_queue(&caller.principal, query.offset.unwrap_or(0), limit)
        .await?;
    let items: Vec<ReviewQueueItem> = items
        .into_iter()
        .map(|item| ReviewQueueItem {
            attribution: item.attribution,
            factors: item.factors,
            suggestions: item.suggestions,
        })
        .collect();
    counted(&items, total)
}

/// Approves records as they are.
pub(super) async fn approve(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    JsonBody(body): JsonBody<ApprovalRequest>,
) -> Result<Response, ApiError> {
    if body.items.len() > MAX_APPROVALS {
        return Err(invalid(
            "`items` has more than 1000 records",
            "Approve them in several requests",
        ));
    }
    let seen: Vec<SeenVersion> = body
        .items
        .into_iter()
        .map(|item| SeenVersion {
            attribution_id: item.attribution_id,
            version: item.version,
        })
        .collect();
    let reviewer = caller.principal.to_string();
    let outcomes = app
        .gateway
        .music
        .approve(&caller.principal, &seen, &reviewer, body.reviewer_role)
        .await?;
    let items: Vec<ApprovedItem> = outcomes
        .into_iter()
        .map(|outcome| ApprovedItem {
            attribution_id: outcome.attribution_id,
            approved: outcome.result.is_ok(),
            version: outcome.result.as_ref().ok().copied(),
            reason: outcome.result.err(),
        })
        .collect();
    ok(&ApprovalResponse {
        approved: items.iter().filter(|item| item.approved).count(),
        items,
    })
}

/// Returns the calibration of the confidences and prediction sets.
pub(super) async fn calibration(
    State(app): State<Arc<AppState>>,
    caller: Caller,
) -> Result<Response, ApiError> {
    ok(&app.gateway.music.calibration(&caller.principal).await?)
}
