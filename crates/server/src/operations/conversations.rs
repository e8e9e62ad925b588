//! Conversations and the ontology.

use super::ApiOperation;
use super::RequestBody;
use super::builder::{
    EventStreamBody, JSON, READ, SSE, WRITE, json, json_body, operation, response, schema,
};
use crate::access::audit::AuditRule;
use crate::api::{
    ActionChoiceRequest, ActionExecutionJson, ActionReportRequest, CanvasMessageBody,
    CanvasMessageJson, CatalogJson, ConnectionsQuery, ContextAnswerInfo, ContextAnswerRequest,
    ContextGrantList, ContextInfo, ContextValueRequest, ConversationEventPage, ExecutionList,
    ExportLine, ItemPage, KnowledgeListQuery, MessageStreamQuery, OntologyEventsQuery, PageQuery,
    PatchOperationBody, RemovedItem, SentMessage, SharedContextInfo, ThingsQuery,
};
use crate::error::ErrorCode;

const CONVERSATIONS: &str = "conversations";
const ONTOLOGY: &str = "ontology";

pub(super) const OPERATIONS: &[ApiOperation] = &[
    operation(
        "POST",
        "/conversations/{id}/messages",
        WRITE,
        CONVERSATIONS,
        "Send a message; the first creates the conversation",
    )
    .bodies(&[json_body::<CanvasMessageBody>()])
    .responses(&[response::<SentMessage>(201, JSON, "The message was sent")])
    .errors(&[ErrorCode::InvalidMessage, ErrorCode::ThreadBusy]),
    operation(
        "GET",
        "/conversations/{id}/messages",
        READ,
        CONVERSATIONS,
        "List the messages of a conversation, the oldest first",
    )
    .audit(AuditRule::Read("thread.read"))
    .query(&[schema::<PageQuery>])
    .responses(&[json::<ItemPage<CanvasMessageJson>>("Page of messages")]),
    operation(
        "GET",
        "/conversations/{id}/messages/events",
        READ,
        CONVERSATIONS,
        "Stream the messages of a conversation and their changes",
    )
    .audit(AuditRule::Read("thread.read"))
    .query(&[schema::<MessageStreamQuery>])
    .responses(&[
        response::<EventStreamBody>(
            200,
            SSE,
            "Events named `message`, `patch`, `action` and `context`",
        ),
        json::<ConversationEventPage>("Page of events"),
    ]),
    operation(
        "GET",
        "/conversations/{id}/messages/{message}",
        READ,
        CONVERSATIONS,
        "Get a message",
    )
    .audit(AuditRule::Read("thread.read"))
    .responses(&[json::<CanvasMessageJson>("Message")]),
    operation(
        "PATCH",
        "/conversations/{id}/messages/{message}",
        WRITE,
        CONVERSATIONS,
        "Update the payload of a message by a JSON Patch",
    )
    .bodies(&[
        RequestBody {
            media_type: JSON,
            schema: schema::<Vec<PatchOperationBody>>,
        },
        RequestBody {
            media_type: "application/json-patch+json",
            schema: schema::<Vec<PatchOperationBody>>,
        },
    ])
    .responses(&[json::<SentMessage>("The message was updated")])
    .errors(&[ErrorCode::InvalidMessage, ErrorCode::ThreadBusy]),
    operation(
        "GET",
        "/conversations/{id}/messages/{message}/actions",
        READ,
        CONVERSATIONS,
        "List the executions of a message's actions",
    )
    .audit(AuditRule::Read("thread.read"))
    .responses(&[json::<ExecutionList>("Executions, the oldest first")]),
    operation(
        "POST",
        "/conversations/{id}/messages/{message}/actions/{action}",
        WRITE,
        CONVERSATIONS,
        "Execute an action that a person chose",
    )
    .bodies(&[json_body::<ActionChoiceRequest>()])
    .responses(&[json::<ActionExecutionJson>(
        "Execution; a repeated request returns the same one",
    )])
    .errors(&[
        ErrorCode::InvalidMessage,
        ErrorCode::ConfirmationRequired,
        ErrorCode::Conflict,
        ErrorCode::ThreadBusy,
    ]),
    operation(
        "POST",
        "/conversations/{id}/messages/{message}/actions/{action}/result",
        WRITE,
        CONVERSATIONS,
        "Report the result of an execution, as an agent",
    )
    .bodies(&[json_body::<ActionReportRequest>()])
    .responses(&[json::<ActionExecutionJson>("Execution after the report")])
    .errors(&[ErrorCode::Conflict, ErrorCode::ThreadBusy]),
    operation(
        "POST",
        "/conversations/{id}/messages/{message}/context",
        WRITE,
        CONVERSATIONS,
        "Answer a request for context, field by field",
    )
    .bodies(&[json_body::<ContextAnswerRequest>()])
    .responses(&[json::<SharedContextInfo>(
        "Fields that were shared and withheld",
    )])
    .errors(&[ErrorCode::ThreadBusy]),
    operation(
        "GET",
        "/conversations/{id}/messages/{message}/context",
        READ,
        CONVERSATIONS,
        "Get the answer to a request for context",
    )
    .audit(AuditRule::Read("thread.read"))
    .responses(&[json::<ContextAnswerInfo>("Answer, or that there is none")]),
    operation(
        "GET",
        "/conversations/{id}/context",
        READ,
        CONVERSATIONS,
        "Get the context that is shared in a conversation",
    )
    .audit(AuditRule::Read("thread.read"))
    .responses(&[json::<ContextInfo>("Shared fields")]),
    operation(
        "PUT",
        "/conversations/{id}/context/{key}",
        WRITE,
        CONVERSATIONS,
        "Share a field with the agents of a conversation",
    )
    .bodies(&[json_body::<ContextValueRequest>()])
    .responses(&[json::<ContextInfo>("Shared fields")])
    .errors(&[ErrorCode::ThreadBusy]),
    operation(
        "DELETE",
        "/conversations/{id}/context/{key}",
        WRITE,
        CONVERSATIONS,
        "Withdraw a shared field",
    )
    .responses(&[json::<RemovedItem>("The field was withdrawn")])
    .errors(&[ErrorCode::ThreadBusy]),
    operation(
        "GET",
        "/context-grants",
        READ,
        CONVERSATIONS,
        "List standing decisions about context",
    )
    .responses(&[json::<ContextGrantList>("Decisions, the latest first")]),
    operation(
        "DELETE",
        "/context-grants/{id}",
        WRITE,
        CONVERSATIONS,
        "Revoke a standing decision about context",
    )
    .responses(&[json::<RemovedItem>("The decision was revoked")]),
    operation(
        "GET",
        "/canvas/catalog",
        READ,
        CONVERSATIONS,
        "Get the catalog of messages and components with their JSON Schemas",
    )
    .responses(&[json::<CatalogJson>("Catalog")]),
    operation(
        "GET",
        "/canvas/catalog/{component}",
        READ,
        CONVERSATIONS,
        "Get the JSON Schema of a component",
    )
    .responses(&[json::<CatalogJson>("JSON Schema")]),
    operation(
        "GET",
        "/things",
        READ,
        ONTOLOGY,
        "List things: conversations, messages, agents, documents and records of programs",
    )
    .query(&[schema::<ThingsQuery>])
    .responses(&[
        json::<ItemPage<ExportLine>>("Page of things, the latest first"),
        response::<EventStreamBody>(
            200,
            SSE,
            "All things, then their changes: events named `put` and `removed`",
        ),
    ]),
    operation(
        "GET",
        "/connections",
        READ,
        ONTOLOGY,
        "List connections between things",
    )
    .query(&[schema::<ConnectionsQuery>])
    .responses(&[json::<ItemPage<ExportLine>>(
        "Page of connections, the latest first",
    )]),
    operation(
        "GET",
        "/events",
        READ,
        ONTOLOGY,
        "List events of the ontology",
    )
    .query(&[schema::<OntologyEventsQuery>])
    .responses(&[json::<ItemPage<ExportLine>>(
        "Page of events, the latest first",
    )]),
    operation(
        "GET",
        "/knowledge",
        READ,
        ONTOLOGY,
        "List knowledge: labels and passages",
    )
    .query(&[schema::<KnowledgeListQuery>])
    .responses(&[json::<ItemPage<ExportLine>>(
        "Page of knowledge, the latest first",
    )]),
];
