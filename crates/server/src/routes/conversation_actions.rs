//! Actions and context of conversations.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use canvas::ActionRequest;
use gateway::{ActionChoice, ActionReport, ContextAnswer};
use json::{Map, Value};

use super::conversations::MessagePath;
use super::extract::{JsonBody, ThreadKey};
use super::{json, ok, time_text};
use crate::access::Caller;
use crate::api::{
    ActionChoiceRequest, ActionExecutionJson, ActionReportRequest, ContextAnswerInfo,
    ContextAnswerRequest, ContextGrantInfo, ContextGrantList, ContextInfo, ContextValueRequest,
    ExecutionList, RawJson, RemovedItem, SharedContextInfo,
};
use crate::error::{ApiError, ErrorCode};
use crate::state::AppState;

/// Executes an action that a person chose.
pub(super) async fn execute(
    State(app): State<Arc<AppState>>,
    path: MessagePath,
    JsonBody(body): JsonBody<ActionChoiceRequest>,
) -> Result<Response, ApiError> {
    check_key(&body.idempotency_key)?;
    let choice = ActionChoice {
        message_id: path.message.clone(),
        action_id: path.item.clone(),
        request: ActionRequest {
            params: body.params.map(RawJson::into_value),
            is_confirmed: body.confirmed.unwrap_or(false),
        },
        idempotency_key: body.idempotency_key,
    };
    let execution = path.agent_ui(&app).execute_action(choice).await?;
    json(StatusCode::OK, &ActionExecutionJson::from(execution))
}

/// Takes the report of an agent about an execution.
pub(super) async fn report(
    State(app): State<Arc<AppState>>,
    path: MessagePath,
    JsonBody(body): JsonBody<ActionReportRequest>,
) -> Result<Response, ApiError> {
    check_key(&body.idempotency_key)?;
    let report = ActionReport {
        idempotency_key: body.idempotency_key,
        state: body.state,
        result: body.result.map(RawJson::into_value),
        error: body.error,
    };
    let reported = path
        .agent_ui(&app)
        .report_action(&path.message, &path.item, report)
        .await?;
    ok(&ActionExecutionJson::from(reported))
}

/// Lists the executions of a message's actions.
pub(super) async fn executions(
    State(app): State<Arc<AppState>>,
    path: MessagePath,
) -> Result<Response, ApiError> {
    let executions = path.agent_ui(&app).executions(&path.message).await?;
    ok(&ExecutionList {
        items: executions
            .into_iter()
            .map(ActionExecutionJson::from)
            .collect(),
    })
}

/// Answers a request for context.
pub(super) async fn answer_context(
    State(app): State<Arc<AppState>>,
    path: MessagePath,
    JsonBody(body): JsonBody<ContextAnswerRequest>,
) -> Result<Response, ApiError> {
    let values = match body.values.map(RawJson::into_value) {
        None => Map::new(),
        Some(Value::Object(values)) => values,
        Some(_) => {
            let hint = "Send an object with the values by field";
            return Err(ApiError::new(
                ErrorCode::InvalidInput,
                "`values` is not an object",
                hint,
            ));
        }
    };
    let answer = ContextAnswer {
        decisions: body.decisions,
        values,
    };
    let shared = path
        .agent_ui(&app)
        .answer_context(&path.message, answer)
        .await?;
    ok(&SharedContextInfo {
        shared: shared.to_value().into(),
        withheld: shared.withheld,
    })
}

/// Returns the answer to a request for context.
pub(super) async fn context_answer(
    State(app): State<Arc<AppState>>,
    path: MessagePath,
) -> Result<Response, ApiError> {
    let answer = path.agent_ui(&app).context_answer(&path.message).await?;
    let answered = answer.is_some();
    let answer = answer.unwrap_or_default();
    ok(&ContextAnswerInfo {
        answered,
        shared: answer.to_value().into(),
        withheld: answer.withheld,
    })
}

/// Returns the shared fields of a conversation.
pub(super) async fn context(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
) -> Result<Response, ApiError> {
    let fields = app.gateway.agent_ui(key).shared_context().await?;
    let fields: Map = fields.into_iter().collect();
    ok(&ContextInfo {
        context: Value::Object(fields).into(),
    })
}

/// Shares a field with the agents of a conversation.
pub(super) async fn share(
    State(app): State<Arc<AppState>>,
    path: MessagePath,
    JsonBody(body): JsonBody<ContextValueRequest>,
) -> Result<Response, ApiError> {
    let value = body.value.into_value();
    let ui = path.agent_ui(&app);
    ui.share_context(&path.message, &value).await?;
    let fields: Map = ui.shared_context().await?.into_iter().collect();
    ok(&ContextInfo {
        context: Value::Object(fields).into(),
    })
}

/// Withdraws a field.
pub(super) async fn withdraw(
    State(app): State<Arc<AppState>>,
    path: MessagePath,
) -> Result<Response, ApiError> {
    match path.agent_ui(&app).remove_context(&path.message).await? {
        true => ok(&RemovedItem {
            id: path.message,
            removed: true,
        }),
        false => Err(missing(&path.message)),
    }
}

/// Lists the standing decisions about context.
pub(super) async fn grants(
    State(app): State<Arc<AppState>>,
    caller: Caller,
) -> Result<Response, ApiError> {
    let grants = app.gateway.context_grants(&caller.principal).await?;
    let items = grants.into_iter().map(|grant| ContextGrantInfo {
        id: grant.id,
        agent_id: grant.agent,
        field: grant.field,
        decision: grant.decision,
        at: time_text(grant.at),
    });
    ok(&ContextGrantList {
        items: items.collect(),
    })
}

/// Revokes a standing decision.
pub(super) async fn revoke(
    State(app): State<Arc<AppState>>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    match app.gateway.revoke_grant(&caller.principal, &id).await? {
        true => ok(&RemovedItem { id, removed: true }),
        false => Err(missing(&id)),
    }
}

fn missing(id: &str) -> ApiError {
    ApiError::new(
        ErrorCode::NotFound,
        format!("Not found: `{id}`"),
        "It may have been withdrawn before",
    )
}

fn check_key(key: &str) -> Result<(), ApiError> {
    match (1..=256).contains(&key.len()) {
        true => Ok(()),
        false => Err(ApiError::new(
            ErrorCode::InvalidInput,
            "`idempotencyKey` must have 1 to 256 bytes",
            "Send a random key, and the same key when you repeat the request",
        )),
    }
}
