//! Access, and the server about itself.

use super::forms::{may, must};
use super::row::{ADMIN, AFTER, JSON, LIMIT, NEXT, READ, SSE, WRITE, answer, json, row};
use super::{Audit, Form, Need, Operation};
use crate::error::Code;

/// Access, and the server about itself.
pub(super) const ROWS: &[Operation] = &[
    row(
        "GET",
        "/me",
        READ,
        "access",
        "Who asks, and what they may do",
    )
    .answers(&[json(Form::Named("Caller"), "Who asks")]),
    row(
        "GET",
        "/me/export",
        READ,
        "access",
        "Everything that one owns, a JSON object per line",
    )
    .records(Audit::Read("principal.exported"))
    .asks(&[may(
        "principal",
        Form::Word,
        "Somebody else, for those with the scope admin",
    )])
    .answers(&[answer(
        200,
        "application/x-ndjson",
        Form::Lines,
        "Documents with their files, threads with their log, evidence, reviews, keys",
    )])
    .refuses(&[Code::InvalidInput]),
    row(
        "DELETE",
        "/me",
        WRITE,
        "access",
        "Delete everything that one owns, keys too",
    )
    .records(Audit::Deleted("principal.forgotten"))
    .asks(&[
        must(
            "confirm",
            Form::Word,
            "The name of the principal, so that it is no accident",
        ),
        may(
            "principal",
            Form::Word,
            "Somebody else, for those with the scope admin",
        ),
    ])
    .answers(&[json(
        Form::Object(&[
            must("principal", Form::Text, "Who is forgotten"),
            must("deleted", Form::Flag, "Whether there was anything"),
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
            Form::Flag,
            "Of everybody, for those with the scope admin",
        ),
    ])
    .answers(&[json(
        Form::Object(&[
            must("items", Form::List(&Form::Named("Done")), "What was done"),
            NEXT,
        ]),
        "A page of the record",
    )]),
    row(
        "GET",
        "/openapi.json",
        Need::Nothing,
        "server",
        "This description",
    )
    .answers(&[json(Form::Map(&Form::Any), "OpenAPI 3.1")]),
    row(
        "GET",
        "/app/api",
        Need::Nothing,
        "server",
        "This description, to read",
    )
    .answers(&[answer(200, "text/html", Form::Lines, "A page")]),
    row(
        "GET",
        "/healthz",
        Need::Nothing,
        "server",
        "Whether the process answers",
    )
    .answers(&[json(
        Form::Object(&[must("status", Form::Text, "ok")]),
        "It does",
    )]),
    row(
        "POST",
        "/healthz/stream",
        Need::Nothing,
        "server",
        "Two events, 0.4 seconds apart: do they arrive apart?",
    )
    .may_take(&[(JSON, Form::Any)])
    .answers(&[answer(
        200,
        SSE,
        Form::Any,
        "RUN_STARTED, then RUN_FINISHED",
    )]),
    row(
        "GET",
        "/readyz",
        Need::Nothing,
        "server",
        "Whether the store answers",
    )
    .answers(&[json(
        Form::Object(&[must("status", Form::Text, "ready")]),
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
        Form::Lines,
        "Counters",
    )]),
    row(
        "GET",
        "/log",
        ADMIN,
        "server",
        "From which level on something is logged",
    )
    .answers(&[json(Form::Named("Level"), "The level")]),
    row(
        "PUT",
        "/log",
        ADMIN,
        "server",
        "Log more, or less, from now on",
    )
    .takes(&[(JSON, Form::Named("Level"))])
    .answers(&[json(Form::Named("Level"), "The level from now on")]),
];
