//! Access and operation of the server.

use super::builder::{
    ADMIN, EventStreamBody, JSON, ObjectBody, READ, SSE, TextBody, WRITE, json, json_body,
    operation, response, schema,
};
use super::{ApiOperation, RequiredScope};
use crate::access::audit::AuditRule;
use crate::api::{
    AccessKeyInfo, AccessKeyList, AccessKeyRequest, AuditQuery, AuditRecord, CallerInfo,
    CreatedAccessKey, ExportLine, ExportQuery, ForgetQuery, ForgottenPrincipal, HealthStatus,
    ItemPage, LogLevelBody, RawJson, ReadinessStatus, ServerInfo, SessionInfo, SessionRequest,
};
use crate::error::ErrorCode;

pub(super) const OPERATIONS: &[ApiOperation] = &[
    operation(
        "GET",
        "/me",
        READ,
        "access",
        "Get the principal and scopes of the request",
    )
    .responses(&[json::<CallerInfo>("Sender of the request")]),
    operation(
        "GET",
        "/session",
        RequiredScope::Nothing,
        "access",
        "Get the access of a browser, also without a key",
    )
    .responses(&[json::<SessionInfo>("Access of the browser")]),
    operation(
        "POST",
        "/session",
        RequiredScope::Nothing,
        "access",
        "Exchange a key for a session cookie",
    )
    .bodies(&[json_body::<SessionRequest>()])
    .responses(&[json::<SessionInfo>("The session cookie was set")])
    .errors(&[ErrorCode::Unauthorized]),
    operation(
        "DELETE",
        "/session",
        RequiredScope::Nothing,
        "access",
        "End the session of a browser",
    )
    .responses(&[json::<SessionInfo>("The session cookie was removed")]),
    operation(
        "GET",
        "/me/export",
        READ,
        "access",
        "Export all data of a principal as JSON Lines",
    )
    .audit(AuditRule::Read("principal.exported"))
    .query(&[schema::<ExportQuery>])
    .responses(&[response::<ExportLine>(
        200,
        "application/x-ndjson",
        "One JSON object per line: documents with their files, threads with their logs, evidence, reviews, keys",
    )])
    .errors(&[ErrorCode::InvalidInput]),
    operation(
        "DELETE",
        "/me",
        WRITE,
        "access",
        "Delete all data of a principal, including its keys",
    )
    .audit(AuditRule::Deleted("principal.forgotten"))
    .query(&[schema::<ForgetQuery>])
    .responses(&[json::<ForgottenPrincipal>("The data was deleted")]),
    operation(
        "GET",
        "/audit",
        READ,
        "access",
        "List the audit log, the last entry first",
    )
    .query(&[schema::<AuditQuery>])
    .responses(&[json::<ItemPage<AuditRecord>>("Page of the audit log")]),
    operation(
        "GET",
        "/keys",
        ADMIN,
        "access",
        "List the access keys of all principals",
    )
    .audit(AuditRule::Read("keys.listed"))
    .responses(&[json::<AccessKeyList>("Keys without their secrets")]),
    operation(
        "POST",
        "/keys",
        ADMIN,
        "access",
        "Create an access key; from the first one on every request needs a key",
    )
    .audit(AuditRule::Changed("key.created"))
    .bodies(&[json_body::<AccessKeyRequest>()])
    .responses(&[response::<CreatedAccessKey>(
        201,
        JSON,
        "Key with its secret, which is shown only once",
    )])
    .errors(&[ErrorCode::Conflict]),
    operation(
        "DELETE",
        "/keys/{id}",
        ADMIN,
        "access",
        "Revoke an access key",
    )
    .audit(AuditRule::Deleted("key.revoked"))
    .responses(&[json::<AccessKeyInfo>("Revoked key")]),
    operation(
        "GET",
        "/server",
        READ,
        "server",
        "Get version, models, projections and storage of the server",
    )
    .responses(&[json::<ServerInfo>("Server")]),
    operation(
        "GET",
        "/openapi.json",
        RequiredScope::Nothing,
        "server",
        "Get this description as an OpenAPI document",
    )
    .responses(&[json::<ObjectBody>("OpenAPI 3.1 document")]),
    operation(
        "GET",
        "/app/api",
        RequiredScope::Nothing,
        "server",
        "Get this description as a page",
    )
    .responses(&[response::<TextBody>(200, "text/html", "Page")]),
    operation(
        "GET",
        "/healthz",
        RequiredScope::Nothing,
        "server",
        "Check that the process responds",
    )
    .responses(&[json::<HealthStatus>("The process responds")]),
    operation(
        "POST",
        "/healthz/stream",
        RequiredScope::Nothing,
        "server",
        "Get two events 0.4 seconds apart, to detect proxies that buffer responses",
    )
    .optional_bodies(&[json_body::<RawJson>()])
    .responses(&[response::<EventStreamBody>(
        200,
        SSE,
        "RUN_STARTED, then RUN_FINISHED",
    )]),
    operation(
        "GET",
        "/readyz",
        RequiredScope::Nothing,
        "server",
        "Check that data can be read and stored",
    )
    .responses(&[json::<ReadinessStatus>("Data can be read and stored")]),
    operation(
        "GET",
        "/metrics",
        ADMIN,
        "server",
        "Get metrics for Prometheus",
    )
    .responses(&[response::<TextBody>(
        200,
        "application/openmetrics-text",
        "Metrics in OpenMetrics format",
    )]),
    operation("GET", "/log", ADMIN, "server", "Get the log level")
        .responses(&[json::<LogLevelBody>("Log level")]),
    operation("PUT", "/log", ADMIN, "server", "Change the log level")
        .bodies(&[json_body::<LogLevelBody>()])
        .responses(&[json::<LogLevelBody>("New log level")]),
];
