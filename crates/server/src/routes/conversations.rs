//! Conversations: messages of agents, actions of people, shared context.

use std::future::poll_fn;
use std::sync::Arc;

use agui::negotiate::Encoding;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequestParts, Path, Query, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use canvas::limits::MAX_MESSAGE_BYTES;
use canvas::{MessageRepair, conversation_change};
use gateway::{AgentUi, Key, ThreadSubscriber};
use json::Value;
use json::patch::PatchOperation;
use store::ThreadId;

use super::extract::{ThreadKey, read_body};
use super::{json, json_text, last_event_id, ok};
use crate::access::Caller;
use crate::api::{
    ConversationEvent, ConversationEventPage, ItemPage, MessageStreamQuery, PageQuery, RawJson,
    RepairInfo, SentMessage,
};
use crate::error::{ApiError, ErrorCode};
use crate::event_response;
use crate::state::{AppState, new_id};
use crate::stream_body::{Disconnected, PieceSender, StreamBody};

/// Pieces that may wait for a slow client.
const WAITING: usize = 16;
/// Events of a thread that a page is made of.
const EVENTS_PER_PAGE: usize = 1_000;

/// Conversation and message that a path names, and the rest of it.
pub(super) struct MessagePath {
    pub(super) key: Key,
    pub(super) message: String,
    /// Third part of the path, such as the id of an action.
    pub(super) item: String,
}

impl<S: Send + Sync> FromRequestParts<S> for MessagePath {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let path = Path::<Vec<(String, String)>>::from_request_parts(parts, state).await;
        let Path(path) = path.map_err(|rejection| {
            let hint = "Check the ids in the path";
            ApiError::new(ErrorCode::BadRequest, rejection.body_text(), hint)
        })?;
        let mut values = path.into_iter().map(|(_, value)| value);
        let mut next = || values.next().unwrap_or_default();
        Ok(Self {
            key: (caller.principal, ThreadId::new(&next())?),
            message: next(),
            item: next(),
        })
    }
}

impl MessagePath {
    pub(super) fn agent_ui<'a>(&self, app: &'a AppState) -> AgentUi<'a> {
        app.gateway.agent_ui(self.key.clone())
    }
}

/// Takes a message of an agent.
pub(super) async fn send(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let message = read_value(&read_body(body)?)?;
    let id = new_id();
    let repairs = app.gateway.agent_ui(key).send(&id, message).await?;
    json(StatusCode::CREATED, &sent(id, repairs))
}

/// Updates the payload of a message by a JSON Patch.
pub(super) async fn update(
    State(app): State<Arc<AppState>>,
    path: MessagePath,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    let body = read_body(body)?;
    let patch = read_patch(&body)?;
    let repairs = path.agent_ui(&app).update_ui(&path.message, &patch).await?;
    ok(&sent(path.message, repairs))
}

/// Returns a message.
pub(super) async fn about(
    State(app): State<Arc<AppState>>,
    path: MessagePath,
) -> Result<Response, ApiError> {
    let message = path.agent_ui(&app).message(&path.message).await?;
    Ok(json_text(StatusCode::OK, message.to_json()))
}

/// Lists the messages of a conversation, the oldest first.
pub(super) async fn list(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
    Query(page): Query<PageQuery>,
) -> Result<Response, ApiError> {
    let listed = app.gateway.agent_ui(key).messages(&page.request()?).await?;
    let items = listed
        .items
        .iter()
        .map(|record| RawJson::from_stored(&record.json));
    ok(&ItemPage {
        items: items.collect(),
        next: listed.next,
    })
}

/// Streams the messages of a conversation and their changes; or returns a page of them to clients that accept JSON only.
pub(super) async fn events(
    State(app): State<Arc<AppState>>,
    ThreadKey(key): ThreadKey,
    Query(query): Query<MessageStreamQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let position = last_event_id(&headers).or(query.after);
    let is_page = event_response::accepts_json_only(&headers);
    let limit = if is_page { EVENTS_PER_PAGE } else { 1 };
    let from = position.unwrap_or(0);
    let events = app.store.events(&key.0, &key.1, from, limit).await?;
    if is_page {
        let changes = events.iter().filter_map(|(sequence, json)| {
            let change = conversation_change(std::str::from_utf8(json).ok()?)?;
            Some(ConversationEvent {
                sequence,
                event: change.name,
                data: change.data.into(),
            })
        });
        return ok(&ConversationEventPage {
            items: changes.collect(),
            next: events.next(),
        });
    }
    let after = position.unwrap_or(match query.live {
        Some(true) => events.last,
        _ => 0,
    });
    if after > events.last {
        let message = format!(
            "`after` is {after}, but the last event of the conversation is {}",
            events.last
        );
        let hint = "Leave out `after` to start with the first message";
        return Err(ApiError::new(ErrorCode::InvalidInput, message, hint));
    }
    let subscriber = app.runs.subscribe(key.clone(), after, Encoding::Sse.into());
    let (sender, body) = StreamBody::channel(WAITING);
    tokio::spawn(send_changes(app, key, subscriber, sender));
    Ok(event_response::streamed(Encoding::Sse, body.into()))
}

/// Sends the changes of a conversation that the events of its thread make, until the client disconnects.
async fn send_changes(
    app: Arc<AppState>,
    key: Key,
    mut subscriber: ThreadSubscriber,
    sender: PieceSender,
) {
    let mut frames = String::new();
    loop {
        let next = poll_fn(|context| subscriber.poll_bytes(context));
        let bytes = tokio::select! {
            bytes = next => bytes,
            () = sender.closed() => return,
        };
        let Some(bytes) = bytes else {
            return;
        };
        frames.push_str(&String::from_utf8_lossy(&bytes));
        while let Some(end) = frames.find("\n\n") {
            let frame: String = frames.drain(..end + 2).collect();
            if send_change(&app, &key, &frame, &sender).await.is_err() {
                return;
            }
        }
    }
}

async fn send_change(
    app: &AppState,
    key: &Key,
    frame: &str,
    sender: &PieceSender,
) -> Result<(), Disconnected> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name));
    let Some(event) = field("data: ") else {
        return sender.comment().await;
    };
    let sequence = field("id: ").and_then(|id| id.parse().ok());
    let change = sequence.and_then(|id| app.conversation_frames.frame(key, id, event));
    match change {
        Some(change) => sender.bytes(change).await,
        None => Ok(()),
    }
}

/// Returns the catalog of messages and components.
pub(super) async fn catalog() -> Result<Response, ApiError> {
    ok(&canvas::catalog().to_document())
}

/// Returns the schema of one component.
pub(super) async fn component(Path(name): Path<String>) -> Result<Response, ApiError> {
    let schema = canvas::catalog().component_schema(&name).ok_or_else(|| {
        let names = canvas::catalog().component_names().join(", ");
        ApiError::new(
            ErrorCode::NotFound,
            format!("Component not found: `{name}`"),
            format!("Known components: {names}"),
        )
    })?;
    ok(&schema)
}

fn sent(id: String, repairs: Vec<MessageRepair>) -> SentMessage {
    let repairs = repairs.into_iter().map(|repair| RepairInfo {
        path: repair.path,
        code: repair.code,
        message: repair.message,
    });
    SentMessage {
        id,
        repairs: repairs.collect(),
    }
}

fn check_size(body: &[u8]) -> Result<(), ApiError> {
    if body.len() <= MAX_MESSAGE_BYTES {
        return Ok(());
    }
    let message = format!(
        "The message has {} bytes; at most {MAX_MESSAGE_BYTES} are allowed",
        body.len()
    );
    Err(ApiError::new(
        ErrorCode::TooLarge,
        message,
        "Send a page or a summary, and the rest on request",
    ))
}

fn not_json() -> ApiError {
    ApiError::new(
        ErrorCode::InvalidJson,
        "The body is not JSON",
        "Send one message as a JSON object",
    )
}

/// Reads a body of any JSON.
fn read_value(body: &[u8]) -> Result<Value, ApiError> {
    check_size(body)?;
    let text = std::str::from_utf8(body).map_err(|_| not_json())?;
    Value::parse(text).map_err(|error| {
        let message = format!("The body is not JSON: {error}");
        ApiError::new(
            ErrorCode::InvalidJson,
            message,
            "Send one message as a JSON object",
        )
    })
}

/// Reads a JSON Patch.
fn read_patch(body: &[u8]) -> Result<Vec<PatchOperation>, ApiError> {
    let Value::Array(operations) = read_value(body)? else {
        return Err(wrong_patch("it is not an array"));
    };
    operations.iter().map(read_operation).collect()
}

fn read_operation(operation: &Value) -> Result<PatchOperation, ApiError> {
    let pointer = |name: &str| {
        let text = operation.get(name).and_then(Value::as_str);
        let text = text.filter(|text| json::patch::is_pointer(text));
        text.ok_or_else(|| wrong_patch(&format!("`{name}` is not a JSON Pointer")))
    };
    let value = || {
        let value = operation.get("value").cloned();
        value.ok_or_else(|| wrong_patch("an operation has no `value`"))
    };
    let path = pointer("path")?;
    match operation.get("op").and_then(Value::as_str) {
        Some("add") => Ok(PatchOperation::add(path, value()?)),
        Some("replace") => Ok(PatchOperation::replace(path, value()?)),
        Some("test") => Ok(PatchOperation::test(path, value()?)),
        Some("remove") => Ok(PatchOperation::remove(path)),
        Some("move") => Ok(PatchOperation::move_(pointer("from")?, path)),
        Some("copy") => Ok(PatchOperation::copy(pointer("from")?, path)),
        _ => Err(wrong_patch(
            "`op` is not add, remove, replace, move, copy or test",
        )),
    }
}

fn wrong_patch(reason: &str) -> ApiError {
    let message = format!("The patch is not valid: {reason}");
    let hint = "Send a JSON Patch: an array of operations, each with op and path";
    ApiError::new(ErrorCode::InvalidInput, message, hint)
}
