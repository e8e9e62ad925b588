//! Access, and the server about itself.

use super::forms::{may, must};
use super::row::{ADMIN, AFTER, JSON, LIMIT, NEXT, READ, SSE, WRITE, answer, json, row};
use super::{ApiOperation, AuditRule, JsonShape, RequiredScope};
use crate::error::ErrorCode;

/// Access, and the server about itself.
pub(super) const ROWS: &[ApiOperation] = &[
    row(
        "GET",
        "/me",
        READ,
        "access",
        "Who asks, and what they may do",
    )
    .answers(&[json(JsonShape::Named("Caller"), "Who asks")]),
    row(
        "GET",
        "/me/export",
        READ,
        "access",
        "Everything that one owns, a JSON object per line",
    )
    .records(AuditRule::Read("principal.exported"))
    .asks(&[may(
        "principal",
        JsonShape::Word,
        "Somebody else, for those with the scope admin",
    )])
    .answers(&[answer(
        200,
        "application/x-ndjson",
        JsonShape::Lines,
        "Documents with their files, threads with their log, evidence, reviews, keys",
    )])
    .refuses(&[ErrorCode::InvalidInput]),
    row(
        "DELETE",
        "/me",
        WRITE,
        "access",
        "Delete everything that one owns, keys too",
    )
    .records(AuditRule::Deleted("principal.forgotten"))
    .asks(&[
        must(
            "confirm",
            JsonShape::Word,
            "The name of the principal, so that it is no accident",
        ),
        may(
            "principal",
            JsonShape::Word,
            "Somebody else, for those with the scope admin",
        ),
    ])
    .answers(&[json(
        JsonShape::Object(&[
            must("principal", JsonShape::Text, "Who is forgotten"),
            must("deleted", JsonShape::Flag, "Whether there was anything"),
        ]),
        "It is gone",
    )]),
    row(
        "GET",
        "/audit",
        READ,
        "access",
        "Who read and deleted what, the last first",
    )
    .asks(&[
        AFTER,
        LIMIT,
        may(
            "all",
            JsonShape::Flag,
            "Of everybody, for those with the scope admin",
        ),
    ])
    .answers(&[json(
        JsonShape::Object(&[
            must(
                "items",
                JsonShape::List(&JsonShape::Named("Done")),
                "What was done",
            ),
            NEXT,
        ]),
        "A page of the record",
    )]),
    row(
        "GET",
        "/openapi.json",
        RequiredScope::Nothing,
        "server",
        "This description",
    )
    .answers(&[json(JsonShape::Map(&JsonShape::Any), "OpenAPI 3.1")]),
    row(
        "GET",
        "/app/api",
        RequiredScope::Nothing,
        "server",
        "This description, to read",
    )
    .answers(&[answer(200, "text/html", JsonShape::Lines, "A page")]),
    row(
        "GET",
        "/healthz",
        RequiredScope::Nothing,
        "server",
        "Whether the process answers",
    )
    .answers(&[json(
        JsonShape::Object(&[must("status", JsonShape::Text, "ok")]),
        "It does",
    )]),
    row(
        "POST",
        "/healthz/stream",
        RequiredScope::Nothing,
        "server",
        "Two events, 0.4 seconds apart: do they arrive apart?",
    )
    .may_take(&[(JSON, JsonShape::Any)])
    .answers(&[answer(
        200,
        SSE,
        JsonShape::Any,
        "RUN_STARTED, then RUN_FINISHED",
    )]),
    row(
        "GET",
        "/readyz",
        RequiredScope::Nothing,
        "server",
        "Whether the store answers",
    )
    .answers(&[json(
        JsonShape::Object(&[must("status", JsonShape::Text, "ready")]),
        "It does",
    )]),
    row(
        "GET",
        "/metrics",
        ADMIN,
        "server",
        "Counters for Prometheus",
    )
    .answers(&[answer(
        200,
        "application/openmetrics-text",
        JsonShape::Lines,
        "Counters",
    )]),
    row(
        "GET",
        "/log",
        ADMIN,
        "server",
        "From which level on something is logged",
    )
    .answers(&[json(JsonShape::Named("Level"), "The level")]),
    row(
        "PUT",
        "/log",
        ADMIN,
        "server",
        "Log more, or less, from now on",
    )
    .takes(&[(JSON, JsonShape::Named("Level"))])
    .answers(&[json(JsonShape::Named("Level"), "The level from now on")]),
];
