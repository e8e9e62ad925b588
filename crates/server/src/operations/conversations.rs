//! Agents and threads.

use super::forms::{may, must};
use super::row::{EVENTS, JSON, NEXT, PAGES, READ, SSE, WRITE, answer, json, row};
use super::{ApiOperation, AuditRule, JsonShape};
use crate::error::ErrorCode;

/// Agents and threads.
pub(super) const ROWS: &[ApiOperation] = &[
    row("GET", "/agents", READ, "agents", "The agents there are").answers(&[json(
        JsonShape::Object(&[must(
            "items",
            JsonShape::List(&JsonShape::Named("Agent")),
            "The agents",
        )]),
        "The agents",
    )]),
    row("GET", "/agents/{name}", READ, "agents", "One agent")
        .answers(&[json(JsonShape::Named("Agent"), "The agent")]),
    row(
        "POST",
        "/agents/{name}",
        WRITE,
        "agents",
        "Run an agent, or go on watching a run",
    )
    .takes(&[(
        JSON,
        JsonShape::Object(&[
            must(
                "messages",
                JsonShape::List(&JsonShape::Map(&JsonShape::Any)),
                "The conversation",
            ),
            may("threadId", JsonShape::Word, "The thread"),
            may("runId", JsonShape::Word, "The run"),
            may("state", JsonShape::Any, "The shared state"),
            may(
                "tools",
                JsonShape::List(&JsonShape::Any),
                "Tools of the frontend",
            ),
            may(
                "context",
                JsonShape::List(&JsonShape::Any),
                "What the agent should know",
            ),
            may(
                "forwardedProps",
                JsonShape::Any,
                "What the agent gets unchanged",
            ),
        ]),
    )])
    .answers(&[
        answer(200, SSE, JsonShape::Any, "AG-UI events as they happen"),
        answer(200, EVENTS, JsonShape::Bytes, "The same as protobuf frames"),
    ])
    .refuses(&[ErrorCode::Conflict, ErrorCode::ThreadBusy]),
    row(
        "GET",
        "/threads",
        READ,
        "threads",
        "The threads there are, the last changed first",
    )
    .records(AuditRule::Read("threads.listed"))
    .asks(PAGES)
    .answers(&[json(
        JsonShape::Object(&[
            must(
                "items",
                JsonShape::List(&JsonShape::Named("Thread")),
                "The threads",
            ),
            NEXT,
        ]),
        "A page of threads",
    )]),
    row("GET", "/threads/{id}", READ, "threads", "One thread")
        .records(AuditRule::Read("thread.read"))
        .answers(&[json(JsonShape::Named("Thread"), "The thread")]),
    row(
        "PATCH",
        "/threads/{id}",
        WRITE,
        "threads",
        "Name a thread, or put it away",
    )
    .takes(&[(
        JSON,
        JsonShape::Object(&[
            may(
                "title",
                JsonShape::OrNull(&JsonShape::Text),
                "What people call it",
            ),
            may("archived", JsonShape::Flag, "Whether it is put away"),
        ]),
    )])
    .answers(&[json(JsonShape::Named("Thread"), "The thread as it is now")]),
    row(
        "DELETE",
        "/threads/{id}",
        WRITE,
        "threads",
        "Delete a thread with everything in it",
    )
    .records(AuditRule::Deleted("thread.deleted"))
    .answers(&[json(
        JsonShape::Object(&[
            must("threadId", JsonShape::Text, "What it was called by"),
            must("deleted", JsonShape::Flag, "True"),
        ]),
        "It is gone",
    )]),
    row(
        "GET",
        "/threads/{id}/messages",
        READ,
        "threads",
        "The messages of a thread, in order",
    )
    .records(AuditRule::Read("thread.read"))
    .asks(&[
        may(
            "before",
            JsonShape::Whole(0, i64::MAX),
            "Only those before this place",
        ),
        may("limit", JsonShape::Whole(1, i64::MAX), "Only the last ones"),
    ])
    .answers(&[json(
        JsonShape::List(&JsonShape::Map(&JsonShape::Any)),
        "AG-UI messages; Link leads to the ones before",
    )]),
    row(
        "GET",
        "/threads/{id}/state",
        READ,
        "threads",
        "The shared state of a thread",
    )
    .records(AuditRule::Read("thread.read"))
    .answers(&[json(JsonShape::Any, "The state")]),
    row(
        "GET",
        "/threads/{id}/events",
        READ,
        "threads",
        "The events of a thread: those that were, then those to come",
    )
    .records(AuditRule::Read("thread.read"))
    .asks(&[
        may(
            "after",
            JsonShape::Whole(0, i64::MAX),
            "Only those after this one",
        ),
        may(
            "limit",
            JsonShape::Whole(1, 10_000),
            "How many a page of JSON has",
        ),
    ])
    .answers(&[
        answer(
            200,
            SSE,
            JsonShape::Any,
            "AG-UI events, with their numbers as ids",
        ),
        answer(200, EVENTS, JsonShape::Bytes, "The same as protobuf frames"),
        json(
            JsonShape::Object(&[
                must(
                    "items",
                    JsonShape::List(&JsonShape::Map(&JsonShape::Any)),
                    "Events with their numbers",
                ),
                must(
                    "next",
                    JsonShape::OrNull(&JsonShape::Whole(0, i64::MAX)),
                    "Where to go on",
                ),
            ]),
            "A page of events",
        ),
    ]),
    row(
        "GET",
        "/threads/{id}/turns",
        READ,
        "threads",
        "Each question with the run that answered it, and what the answer refers to",
    )
    .records(AuditRule::Read("thread.read"))
    .answers(&[json(
        JsonShape::List(&JsonShape::Map(&JsonShape::Any)),
        "The turns",
    )]),
    row(
        "POST",
        "/threads/{id}/cancel",
        WRITE,
        "threads",
        "End the run that goes on",
    )
    .answers(&[json(JsonShape::Named("Run"), "What became of the last run")]),
];
