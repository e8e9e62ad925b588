//! Documents and citations.

use super::forms::{may, must};
use super::row::{
    ANY, EXPIRES, IMAGE, JSON, NEXT, PAGES, PICTURES, READ, SCALE, SSE, THEME, TOKEN, UNREADABLE,
    UPLOAD, WRITE, answer, json, row,
};
use super::{Audit, Form, Need, Operation};
use crate::error::Code;

/// A step of a review.
const REVIEW: Form = Form::Object(&[
    must(
        "action",
        Form::OneOf(&["opened", "closed", "accepted", "disputed"]),
        "What was done",
    ),
    may("at", Form::Text, "When; now if it is not said"),
    may("note", Form::Text, "Why"),
]);

/// Documents and citations.
pub(super) const ROWS: &[Operation] = &[
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
        "Remove a document; by the hash of its file, under all its names",
    )
    .records(Audit::Deleted("document.deleted"))
    .answers(&[json(Form::Named("Removed"), "It is gone")]),
    row(
        "GET",
        "/documents/{id}/file",
        Need::ReadOrLink,
        "documents",
        "The file itself, as it was attached",
    )
    .records(Audit::Read("document.read"))
    .asks(&[TOKEN, EXPIRES])
    .answers(&[answer(200, ANY, Form::Bytes, "The file")])
    .refuses(&[Code::UnreadableDocument]),
    row(
        "GET",
        "/documents/{id}/pages/{page}",
        Need::ReadOrLink,
        "documents",
        "A picture of a page: 1.webp, 1.png, 1.jpeg or 1.avif",
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
        answer(200, SSE, Form::Any, "One event per result"),
    ])
    .refuses(UNREADABLE),
    row(
        "GET",
        "/citations/{key}/reviews",
        READ,
        "citations",
        "What readers said of a citation, the last first",
    )
    .records(Audit::Read("reviews.listed"))
    .answers(&[json(
        Form::Object(&[must(
            "items",
            Form::List(&REVIEW),
            "The steps of the review",
        )]),
        "The review",
    )]),
    row(
        "POST",
        "/citations/{key}/reviews",
        WRITE,
        "citations",
        "Say something of a citation",
    )
    .takes(&[(JSON, REVIEW)])
    .answers(&[answer(201, JSON, REVIEW, "It is written down")]),
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
            Form::OneOf(&["html", "webp", "png", "jpeg", "avif"]),
            "A picture instead of the page",
        ),
        may(
            "view",
            Form::OneOf(&["snippet", "page"]),
            "What the picture shows",
        ),
        may(
            "page",
            Form::Whole(1, i64::MAX),
            "Which page, if the passage stands on several",
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
];
