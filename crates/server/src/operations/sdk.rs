//! The paths of the public citation SDK.

use super::forms::{PAGE_IMAGES, PAGE_IMAGES_LISTED, WARNINGS, must};
use super::row::{CITED, FOUND, JSON, PREPARED, READ, UNREADABLE, UPLOAD, WRITE, json, row};
use super::{ApiOperation, AuditRule, JsonShape};
use crate::error::ErrorCode;

/// The paths of the public citation SDK.
pub(super) const ROWS: &[ApiOperation] = &[
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
        JsonShape::Object(&[
            must(
                "attachmentId",
                JsonShape::AttachmentId,
                "What it is called by",
            ),
            must(
                "metadata",
                JsonShape::Map(&JsonShape::Any),
                "What is known of it",
            ),
            must("status", JsonShape::Text, "converted"),
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
    .records(AuditRule::Read("document.read"))
    .takes(&[(
        JSON,
        JsonShape::Object(&[must(
            "attachmentId",
            JsonShape::Word,
            "What it is called by",
        )]),
    )])
    .answers(&[json(
        JsonShape::Object(&[
            must("id", JsonShape::Text, "What it is called by"),
            must("status", JsonShape::Text, "ready"),
            must(
                "pageCount",
                JsonShape::Whole(0, i64::MAX),
                "How many pages it has",
            ),
            must(
                "pageTexts",
                JsonShape::List(&JsonShape::Text),
                "Its text, page by page",
            ),
            must("pageImages", PAGE_IMAGES, PAGE_IMAGES_LISTED),
            WARNINGS,
            must("expiresAt", JsonShape::Moment, "From when on it is gone"),
        ]),
        "The document",
    )])
    .refuses(&[ErrorCode::NotFound, ErrorCode::UnreadableDocument]),
    row(
        "POST",
        "/attachments/{id}/extend",
        WRITE,
        "citation SDK",
        "Keep a document longer",
    )
    .takes(&[(
        JSON,
        JsonShape::Object(&[must(
            "duration",
            JsonShape::OneOf(&["month", "year"]),
            "How much longer",
        )]),
    )])
    .answers(&[json(
        JsonShape::Object(&[
            must("attachmentId", JsonShape::Text, "What it is called by"),
            must("expiresAt", JsonShape::Moment, "From when on it is gone"),
            must("previousExpiresAt", JsonShape::Moment, "And before"),
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
    .records(AuditRule::Deleted("document.deleted"))
    .answers(&[json(JsonShape::Named("Removed"), "It is gone")]),
];
