//! The table of routes.

use super::forms::{may, must};
use super::{Answer, Audit, Field, Form, Need, Operation};
use crate::access::Scope;
use crate::error::Code;

const READ: Need = Need::Scope(Scope::Read);
const WRITE: Need = Need::Scope(Scope::Write);
const ADMIN: Need = Need::Scope(Scope::Admin);

const JSON: &str = "application/json";
const SSE: &str = "text/event-stream";
const EVENTS: &str = "application/vnd.ag-ui.event+proto";

const fn row(
    method: &'static str,
    path: &'static str,
    need: Need,
    subject: &'static str,
    summary: &'static str,
) -> Operation {
    Operation {
        method,
        path,
        subject,
        summary,
        need,
        audit: None,
        query: &[],
        takes: &[],
        needs_body: false,
        answers: &[],
        refuses: &[],
    }
}

impl Operation {
    const fn records(self, audit: Audit) -> Self {
        Self {
            audit: Some(audit),
            ..self
        }
    }

    const fn asks(self, query: &'static [Field]) -> Self {
        Self { query, ..self }
    }

    const fn takes(self, takes: &'static [(&'static str, Form)]) -> Self {
        Self {
            takes,
            needs_body: true,
            ..self
        }
    }

    const fn may_take(self, takes: &'static [(&'static str, Form)]) -> Self {
        Self { takes, ..self }
    }

    const fn answers(self, answers: &'static [Answer]) -> Self {
        Self { answers, ..self }
    }

    const fn refuses(self, refuses: &'static [Code]) -> Self {
        Self { refuses, ..self }
    }
}

const fn answer(status: u16, media: &'static str, form: Form, about: &'static str) -> Answer {
    Answer {
        status,
        media,
        form,
        about,
    }
}

const fn json(form: Form, about: &'static str) -> Answer {
    answer(200, JSON, form, about)
}

const AFTER: Field = may("after", Form::Text, "Where the last page ended: its `next`");
const LIMIT: Field = may("limit", Form::Whole(1, 1_000), "How many at most");
const PAGES: &[Field] = &[AFTER, LIMIT];
const NEXT: Field = must(
    "next",
    Form::OrNull(&Form::Text),
    "Where to go on; null at the end",
);

const UPLOAD: &[(&str, Form)] = &[
    (
        "multipart/form-data",
        Form::Object(&[
            must("file", Form::Bytes, "The file"),
            may("filename", Form::Text, "What people call it"),
            may(
                "attachmentId",
                Form::AttachmentId,
                "What it shall be called by",
            ),
            may("endUserId", Form::Text, "A label of your own"),
        ]),
    ),
    (
        JSON,
        Form::Object(&[
            may(
                "url",
                Form::Text,
                "Where to fetch it from, if that is allowed",
            ),
            may("filename", Form::Text, "What people call it"),
            may(
                "attachmentId",
                Form::AttachmentId,
                "What it shall be called by, or is already",
            ),
            may("endUserId", Form::Text, "A label of your own"),
        ]),
    ),
];
const UNREADABLE: &[Code] = &[
    Code::Conflict,
    Code::FetchOff,
    Code::NotFound,
    Code::UnreadableDocument,
];
const CITED: &[(&str, Form)] = &[(
    JSON,
    Form::Object(&[must(
        "data",
        Form::Object(&[
            may("attachmentId", Form::Text, "The document to look into"),
            must(
                "citations",
                Form::Map(&Form::Named("Citation")),
                "Citations by key",
            ),
        ]),
        "What is to be checked",
    )]),
)];
const FOUND: &[Answer] = &[json(
    Form::Object(&[must(
        "verifications",
        Form::Map(&Form::Named("Verification")),
        "What is true of each, by the key it came with",
    )]),
    "What is true of each citation",
)];
const PREPARED: &[Answer] = &[json(Form::Named("Prepared"), "The document for a model")];
const THEME: Field = may("theme", Form::OneOf(&["light", "dark"]), "How it looks");
const SCALE: Field = may("scale", Form::OneOf(&["1", "2"]), "How large it is");
const TOKEN: Field = may("token", Form::Text, "Of a signed link");
const EXPIRES: Field = may("expires", Form::Text, "Of a signed link");
const PICTURES: &[Field] = &[THEME, SCALE, TOKEN, EXPIRES];
const IMAGE: &str = "image/*";

/// All of them.
pub(crate) const ALL: &[Operation] = &[
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
        answer(200, SSE, Form::Lines, "AG-UI events as they happen"),
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
            Form::Lines,
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
    row(
        "GET",
        "/documents",
        READ,
        "documents",
        "The documents there are, the newest first",
    )
    .records(Audit::Read("documents.listed"))
    .asks(PAGES)
    .answers(&[json(
        Form::Object(&[
            must(
                "items",
                Form::List(&Form::Named("Document")),
                "The documents",
            ),
            NEXT,
        ]),
        "A page of documents",
    )]),
    row(
        "POST",
        "/documents",
        WRITE,
        "documents",
        "Attach a document",
    )
    .takes(UPLOAD)
    .answers(&[
        answer(201, JSON, Form::Named("Document"), "It is attached"),
        answer(200, JSON, Form::Named("Document"), "It was attached before"),
    ])
    .refuses(UNREADABLE),
    row("GET", "/documents/{id}", READ, "documents", "One document")
        .records(Audit::Read("document.read"))
        .answers(&[json(Form::Named("Document"), "The document")])
        .refuses(&[Code::UnreadableDocument]),
    row(
        "DELETE",
        "/documents/{id}",
        WRITE,
        "documents",
        "Remove a document",
    )
    .records(Audit::Deleted("document.deleted"))
    .answers(&[json(Form::Named("Removed"), "It is gone")]),
    row(
        "GET",
        "/documents/{id}/pages/{page}",
        Need::ReadOrLink,
        "documents",
        "A picture of a page, 1.webp, 1.png or 1.avif",
    )
    .records(Audit::Read("document.read"))
    .asks(PICTURES)
    .answers(&[answer(200, IMAGE, Form::Bytes, "The picture")])
    .refuses(&[Code::UnreadableDocument]),
    row(
        "POST",
        "/verify",
        READ,
        "citations",
        "Check the citations of a text, or citations",
    )
    .takes(&[(
        JSON,
        Form::Object(&[
            may("text", Form::Text, "An answer with citations in any form"),
            may(
                "citations",
                Form::Map(&Form::Named("Citation")),
                "Citations by key",
            ),
            may(
                "attachmentIds",
                Form::List(&Form::Text),
                "The documents to look into; all, if absent",
            ),
        ]),
    )])
    .answers(&[
        json(Form::Named("Verified"), "What is true of them"),
        answer(200, SSE, Form::Lines, "One event per result"),
    ])
    .refuses(UNREADABLE),
    row(
        "GET",
        "/p/{id}",
        Need::ReadOrLink,
        "citations",
        "The page of evidence for a citation, or a picture of the passage",
    )
    .records(Audit::Read("evidence.read"))
    .asks(&[
        may(
            "format",
            Form::OneOf(&["html", "webp", "png", "avif"]),
            "A picture instead of the page",
        ),
        may(
            "view",
            Form::OneOf(&["snippet", "page"]),
            "What the picture shows",
        ),
        THEME,
        SCALE,
        TOKEN,
        EXPIRES,
    ])
    .answers(&[
        answer(200, "text/html", Form::Lines, "The page"),
        answer(200, IMAGE, Form::Bytes, "The picture"),
    ])
    .refuses(&[Code::UnreadableDocument]),
    row(
        "POST",
        "/p/{id}/links",
        WRITE,
        "citations",
        "Make a link to a page of evidence that works without a key for a while",
    )
    .may_take(&[(
        JSON,
        Form::Object(&[may(
            "seconds",
            Form::Whole(1, 31_622_400),
            "How long it works; a week, if absent",
        )]),
    )])
    .answers(&[answer(201, JSON, Form::Named("Link"), "The link")]),
    row(
        "POST",
        "/prepareAttachments",
        WRITE,
        "citation SDK",
        "Attach a document, or look at one, with its text for a model",
    )
    .takes(UPLOAD)
    .answers(PREPARED)
    .refuses(UNREADABLE),
    row(
        "POST",
        "/prepareAttachment",
        WRITE,
        "citation SDK",
        "The same, as older clients ask",
    )
    .takes(UPLOAD)
    .answers(PREPARED)
    .refuses(UNREADABLE),
    row(
        "POST",
        "/prepareFile",
        WRITE,
        "citation SDK",
        "The same, as the oldest clients ask",
    )
    .takes(UPLOAD)
    .answers(PREPARED)
    .refuses(UNREADABLE),
    row(
        "POST",
        "/convertFile",
        WRITE,
        "citation SDK",
        "Attach a document of any kind",
    )
    .takes(UPLOAD)
    .answers(&[json(
        Form::Object(&[
            must("attachmentId", Form::AttachmentId, "What it is called by"),
            must("metadata", Form::Map(&Form::Any), "What is known of it"),
            must("status", Form::Text, "converted"),
        ]),
        "It is attached",
    )])
    .refuses(UNREADABLE),
    row(
        "POST",
        "/verifyCitations",
        READ,
        "citation SDK",
        "Check citations",
    )
    .takes(CITED)
    .answers(FOUND)
    .refuses(UNREADABLE),
    row(
        "POST",
        "/verifyCitation",
        READ,
        "citation SDK",
        "The same, as older clients ask",
    )
    .takes(CITED)
    .answers(FOUND)
    .refuses(UNREADABLE),
    row(
        "POST",
        "/getAttachment",
        READ,
        "citation SDK",
        "What is known of a document, with its text",
    )
    .records(Audit::Read("document.read"))
    .takes(&[(
        JSON,
        Form::Object(&[must("attachmentId", Form::Word, "What it is called by")]),
    )])
    .answers(&[json(
        Form::Object(&[
            must("id", Form::Text, "What it is called by"),
            must("status", Form::Text, "ready"),
            must(
                "pageCount",
                Form::Whole(0, i64::MAX),
                "How many pages it has",
            ),
            must(
                "pageTexts",
                Form::List(&Form::Text),
                "Its text, page by page",
            ),
            must("expiresAt", Form::Moment, "From when on it is gone"),
        ]),
        "The document",
    )])
    .refuses(&[Code::NotFound, Code::UnreadableDocument]),
    row(
        "POST",
        "/attachments/{id}/extend",
        WRITE,
        "citation SDK",
        "Keep a document longer",
    )
    .takes(&[(
        JSON,
        Form::Object(&[must(
            "duration",
            Form::OneOf(&["month", "year"]),
            "How much longer",
        )]),
    )])
    .answers(&[json(
        Form::Object(&[
            must("attachmentId", Form::Text, "What it is called by"),
            must("expiresAt", Form::Moment, "From when on it is gone"),
            must("previousExpiresAt", Form::Moment, "And before"),
        ]),
        "It is kept",
    )]),
    row(
        "DELETE",
        "/attachments/{id}",
        WRITE,
        "citation SDK",
        "Remove a document",
    )
    .records(Audit::Deleted("document.deleted"))
    .answers(&[json(Form::Named("Removed"), "It is gone")]),
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
        Form::Lines,
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
