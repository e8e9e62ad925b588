//! Agents and threads.

use super::ApiOperation;
use super::builder::{
    ADMIN, BinaryBody, EventStreamBody, PROTOBUF, READ, SSE, WRITE, json, json_body, operation,
    response, schema,
};
use crate::access::audit::AuditRule;
use crate::api::{
    AgentInfo, AgentList, DeletedThread, EventPage, EventsQuery, ItemPage, MessageJson,
    MessagesQuery, PageQuery, RemovedUpstream, RunAgentBody, RunInfo, StateJson,
    ThreadChangeRequest, ThreadInfo, ThreadTurn, UpstreamCheckInfo, UpstreamRequest,
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
        "PUT",
        "/agents/{name}",
        ADMIN,
        "agents",
        "Add an upstream agent, or change one that was added",
    )
    .audit(AuditRule::Changed("agent.added"))
    .bodies(&[json_body::<UpstreamRequest>()])
    .responses(&[json::<AgentInfo>("Agent")])
    .errors(&[ErrorCode::Conflict]),
    operation(
        "DELETE",
        "/agents/{name}",
        ADMIN,
        "agents",
        "Remove an upstream agent that was added",
    )
    .audit(AuditRule::Deleted("agent.removed"))
    .responses(&[json::<RemovedUpstream>("The agent was removed")])
    .errors(&[ErrorCode::Conflict]),
    operation(
        "POST",
        "/agents/{name}/check",
        ADMIN,
        "agents",
        "Send an empty conversation to an upstream agent, to test it",
    )
    .responses(&[json::<UpstreamCheckInfo>("Result of the test")]),
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
        "/threads/{id}/runs",
        READ,
        "threads",
        "List the runs of a thread in order",
    )
    .audit(AuditRule::Read("thread.read"))
    .query(&[schema::<PageQuery>])
    .responses(&[json::<ItemPage<RunInfo>>("Page of runs")]),
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
