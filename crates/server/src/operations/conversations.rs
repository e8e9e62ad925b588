//! Agents and threads.

use super::forms::{may, must};
use super::row::{EVENTS, JSON, NEXT, PAGES, READ, SSE, WRITE, answer, json, row};
use super::{Audit, Form, Operation};
use crate::error::Code;

/// Agents and threads.
pub(super) const ROWS: &[Operation] = &[
    row("GET", "/agents", READ, "agents", "The agents there are").answers(&[json(
        Form::Object(&[must(
            "items",
            Form::List(&Form::Named("Agent")),
            "The agents",
        )]),
        "The agents",
    )]),
    row("GET", "/agents/{name}", READ, "agents", "One agent")
        .answers(&[json(Form::Named("Agent"), "The agent")]),
    row(
        "POST",
        "/agents/{name}",
        WRITE,
        "agents",
        "Run an agent, or go on watching a run",
    )
    .takes(&[(
        JSON,
        Form::Object(&[
            must(
                "messages",
                Form::List(&Form::Map(&Form::Any)),
                "The conversation",
            ),
            may("threadId", Form::Word, "The thread"),
            may("runId", Form::Word, "The run"),
            may("state", Form::Any, "The shared state"),
            may("tools", Form::List(&Form::Any), "Tools of the frontend"),
            may(
                "context",
                Form::List(&Form::Any),
                "What the agent should know",
            ),
            may("forwardedProps", Form::Any, "What the agent gets unchanged"),
        ]),
    )])
    .answers(&[
        answer(200, SSE, Form::Any, "AG-UI events as they happen"),
        answer(200, EVENTS, Form::Bytes, "The same as protobuf frames"),
    ])
    .refuses(&[Code::Conflict, Code::ThreadBusy]),
    row(
        "GET",
        "/threads",
        READ,
        "threads",
        "The threads there are, the last changed first",
    )
    .records(Audit::Read("threads.listed"))
    .asks(PAGES)
    .answers(&[json(
        Form::Object(&[
            must("items", Form::List(&Form::Named("Thread")), "The threads"),
            NEXT,
        ]),
        "A page of threads",
    )]),
    row("GET", "/threads/{id}", READ, "threads", "One thread")
        .records(Audit::Read("thread.read"))
        .answers(&[json(Form::Named("Thread"), "The thread")]),
    row(
        "PATCH",
        "/threads/{id}",
        WRITE,
        "threads",
        "Name a thread, or put it away",
    )
    .takes(&[(
        JSON,
        Form::Object(&[
            may("title", Form::OrNull(&Form::Text), "What people call it"),
            may("archived", Form::Flag, "Whether it is put away"),
        ]),
    )])
    .answers(&[json(Form::Named("Thread"), "The thread as it is now")]),
    row(
        "DELETE",
        "/threads/{id}",
        WRITE,
        "threads",
        "Delete a thread with everything in it",
    )
    .records(Audit::Deleted("thread.deleted"))
    .answers(&[json(
        Form::Object(&[
            must("threadId", Form::Text, "What it was called by"),
            must("deleted", Form::Flag, "True"),
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
    .records(Audit::Read("thread.read"))
    .asks(&[
        may(
            "before",
            Form::Whole(0, i64::MAX),
            "Only those before this place",
        ),
        may("limit", Form::Whole(1, i64::MAX), "Only the last ones"),
    ])
    .answers(&[json(
        Form::List(&Form::Map(&Form::Any)),
        "AG-UI messages; Link leads to the ones before",
    )]),
    row(
        "GET",
        "/threads/{id}/state",
        READ,
        "threads",
        "The shared state of a thread",
    )
    .records(Audit::Read("thread.read"))
    .answers(&[json(Form::Any, "The state")]),
    row(
        "GET",
        "/threads/{id}/events",
        READ,
        "threads",
        "The events of a thread: those that were, then those to come",
    )
    .records(Audit::Read("thread.read"))
    .asks(&[
        may(
            "after",
            Form::Whole(0, i64::MAX),
            "Only those after this one",
        ),
        may(
            "limit",
            Form::Whole(1, 10_000),
            "How many a page of JSON has",
        ),
    ])
    .answers(&[
        answer(
            200,
            SSE,
            Form::Any,
            "AG-UI events, with their numbers as ids",
        ),
        answer(200, EVENTS, Form::Bytes, "The same as protobuf frames"),
        json(
            Form::Object(&[
                must(
                    "items",
                    Form::List(&Form::Map(&Form::Any)),
                    "Events with their numbers",
                ),
                must(
                    "next",
                    Form::OrNull(&Form::Whole(0, i64::MAX)),
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
    .records(Audit::Read("thread.read"))
    .answers(&[json(Form::List(&Form::Map(&Form::Any)), "The turns")]),
    row(
        "POST",
        "/threads/{id}/cancel",
        WRITE,
        "threads",
        "End the run that goes on",
    )
    .answers(&[json(Form::Named("Run"), "What became of the last run")]),
];
