//! Agents and threads.

use super::ApiOperation;
use super::builder::{
    BinaryBody, EventStreamBody, PROTOBUF, READ, SSE, WRITE, json, json_body, operation, response,
    schema,
};
use crate::access::audit::AuditRule;
use crate::api::{
    AgentInfo, AgentList, DeletedThread, EventPage, EventsQuery, ItemPage, MessageJson,
    MessagesQuery, PageQuery, RunAgentBody, RunInfo, StateJson, ThreadChangeRequest, ThreadInfo,
    ThreadTurn,
};
use crate::error::ErrorCode;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    operation("GET", "/agents", READ, "agents", "List all agents")
        .responses(&[json::<AgentList>("List of agents")]),
    operation("GET", "/agents/{name}", READ, "agents", "Get an agent")
        .responses(&[json::<AgentInfo>("Agent")]),
    operation(
        "POST",
        "/agents/{name}",
        WRITE,
        "agents",
        "Run an agent, or reconnect to a run",
    )
    .bodies(&[json_body::<RunAgentBody>()])
    .responses(&[
        response::<EventStreamBody>(200, SSE, "AG-UI events as they happen"),
        response::<BinaryBody>(200, PROTOBUF, "The same events as protobuf frames"),
    ])
    .errors(&[ErrorCode::Conflict, ErrorCode::ThreadBusy]),
    operation(
        "GET",
        "/threads",
        READ,
        "threads",
        "List threads, the last changed first",
    )
    .audit(AuditRule::Read("threads.listed"))
    .query(&[schema::<PageQuery>])
    .responses(&[json::<ItemPage<ThreadInfo>>("Page of threads")]),
    operation("GET", "/threads/{id}", READ, "threads", "Get a thread")
        .audit(AuditRule::Read("thread.read"))
        .responses(&[json::<ThreadInfo>("Thread")]),
    operation(
        "PATCH",
        "/threads/{id}",
        WRITE,
        "threads",
        "Rename, archive or restore a thread",
    )
    .bodies(&[json_body::<ThreadChangeRequest>()])
    .responses(&[json::<ThreadInfo>("Thread after the change")]),
    operation(
        "DELETE",
        "/threads/{id}",
        WRITE,
        "threads",
        "Delete a thread with all its runs",
    )
    .audit(AuditRule::Deleted("thread.deleted"))
    .responses(&[json::<DeletedThread>("The thread was deleted")]),
    operation(
        "GET",
        "/threads/{id}/messages",
        READ,
        "threads",
        "List the messages of a thread in order",
    )
    .audit(AuditRule::Read("thread.read"))
    .query(&[schema::<MessagesQuery>])
    .responses(&[json::<Vec<MessageJson>>(
        "AG-UI messages. The header `Link` leads to earlier ones",
    )]),
    operation(
        "GET",
        "/threads/{id}/state",
        READ,
        "threads",
        "Get the shared state of a thread",
    )
    .audit(AuditRule::Read("thread.read"))
    .responses(&[json::<StateJson>("State")]),
    operation(
        "GET",
        "/threads/{id}/events",
        READ,
        "threads",
        "Replay the events of a thread, then stream new ones",
    )
    .audit(AuditRule::Read("thread.read"))
    .query(&[schema::<EventsQuery>])
    .responses(&[
        response::<EventStreamBody>(200, SSE, "AG-UI events, with their sequence numbers as ids"),
        response::<BinaryBody>(200, PROTOBUF, "The same events as protobuf frames"),
        json::<EventPage>("Page of events"),
    ]),
    operation(
        "GET",
        "/threads/{id}/turns",
        READ,
        "threads",
        "List the turns of a thread with the sources of each answer",
    )
    .audit(AuditRule::Read("thread.read"))
    .responses(&[json::<Vec<ThreadTurn>>("Turns in order")]),
    operation(
        "POST",
        "/threads/{id}/cancel",
        WRITE,
        "threads",
        "Cancel the run in progress",
    )
    .responses(&[json::<RunInfo>("Last run of the thread")]),
];
