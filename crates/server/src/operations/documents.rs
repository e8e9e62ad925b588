//! Documents and citations.

use super::forms::{may, must};
use super::row::{
    ANY, EXPIRES, IMAGE, JSON, NEXT, PAGES, PICTURES, READ, SCALE, SSE, THEME, TOKEN, UNREADABLE,
    UPLOAD, WRITE, answer, json, row,
};
use super::{ApiOperation, AuditRule, JsonShape, RequiredScope};
use crate::error::ErrorCode;

/// A step of a review.
const REVIEW: JsonShape = JsonShape::Object(&[
    must(
        "action",
        JsonShape::OneOf(&["opened", "closed", "accepted", "disputed"]),
        "What was done",
    ),
    may("at", JsonShape::Text, "When; now if it is not said"),
    may("note", JsonShape::Text, "Why"),
]);

/// Documents and citations.
pub(super) const ROWS: &[ApiOperation] = &[
    row(
        "GET",
        "/documents",
        READ,
        "documents",
        "The documents there are, the newest first",
    )
    .records(AuditRule::Read("documents.listed"))
    .asks(PAGES)
    .answers(&[json(
        JsonShape::Object(&[
            must(
                "items",
                JsonShape::List(&JsonShape::Named("Document")),
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
        answer(201, JSON, JsonShape::Named("Document"), "It is attached"),
        answer(
            200,
            JSON,
            JsonShape::Named("Document"),
            "It was attached before",
        ),
    ])
    .refuses(UNREADABLE),
    row("GET", "/documents/{id}", READ, "documents", "One document")
        .records(AuditRule::Read("document.read"))
        .answers(&[json(JsonShape::Named("Document"), "The document")])
        .refuses(&[ErrorCode::UnreadableDocument]),
    row(
        "DELETE",
        "/documents/{id}",
        WRITE,
        "documents",
        "Remove a document; by the hash of its file, under all its names",
    )
    .records(AuditRule::Deleted("document.deleted"))
    .answers(&[json(JsonShape::Named("Removed"), "It is gone")]),
    row(
        "GET",
        "/documents/{id}/file",
        RequiredScope::ReadOrLink,
        "documents",
        "The file itself, as it was attached",
    )
    .records(AuditRule::Read("document.read"))
    .asks(&[TOKEN, EXPIRES])
    .answers(&[answer(200, ANY, JsonShape::Bytes, "The file")])
    .refuses(&[ErrorCode::UnreadableDocument]),
    row(
        "GET",
        "/documents/{id}/pages/{page}",
        RequiredScope::ReadOrLink,
        "documents",
        "A picture of a page: 1.webp, 1.png, 1.jpeg or 1.avif",
    )
    .records(AuditRule::Read("document.read"))
    .asks(PICTURES)
    .answers(&[answer(200, IMAGE, JsonShape::Bytes, "The picture")])
    .refuses(&[ErrorCode::UnreadableDocument]),
    row(
        "POST",
        "/verify",
        READ,
        "citations",
        "Check the citations of a text, or citations",
    )
    .takes(&[(
        JSON,
        JsonShape::Object(&[
            may(
                "text",
                JsonShape::Text,
                "An answer with citations in any form",
            ),
            may(
                "citations",
                JsonShape::Map(&JsonShape::Named("Citation")),
                "Citations by key",
            ),
            may(
                "attachmentIds",
                JsonShape::List(&JsonShape::Text),
                "The documents to look into; all, if absent",
            ),
        ]),
    )])
    .answers(&[
        json(JsonShape::Named("Verified"), "What is true of them"),
        answer(200, SSE, JsonShape::Any, "One event per result"),
    ])
    .refuses(UNREADABLE),
    row(
        "GET",
        "/citations/{key}/reviews",
        READ,
        "citations",
        "What readers said of a citation, the last first",
    )
    .records(AuditRule::Read("reviews.listed"))
    .answers(&[json(
        JsonShape::Object(&[must(
            "items",
            JsonShape::List(&REVIEW),
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
        RequiredScope::ReadOrLink,
        "citations",
        "The page of evidence for a citation, or a picture of the passage",
    )
    .records(AuditRule::Read("evidence.read"))
    .asks(&[
        may(
            "format",
            JsonShape::OneOf(&["html", "webp", "png", "jpeg", "avif"]),
            "A picture instead of the page",
        ),
        may(
            "view",
            JsonShape::OneOf(&["snippet", "page"]),
            "What the picture shows",
        ),
        may(
            "page",
            JsonShape::Whole(1, i64::MAX),
            "Which page, if the passage stands on several",
        ),
        THEME,
        SCALE,
        TOKEN,
        EXPIRES,
    ])
    .answers(&[
        answer(200, "text/html", JsonShape::Lines, "The page"),
        answer(200, IMAGE, JsonShape::Bytes, "The picture"),
    ])
    .refuses(&[ErrorCode::UnreadableDocument]),
    row(
        "POST",
        "/p/{id}/links",
        WRITE,
        "citations",
        "Make a link to a page of evidence that works without a key for a while",
    )
    .may_take(&[(
        JSON,
        JsonShape::Object(&[may(
            "seconds",
            JsonShape::Whole(1, 31_622_400),
            "How long it works; a week, if absent",
        )]),
    )])
    .answers(&[answer(201, JSON, JsonShape::Named("Link"), "The link")]),
];
