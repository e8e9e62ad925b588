//! The paths of the public citation SDK.

use super::forms::{PAGE_IMAGES, PAGE_IMAGES_LISTED, WARNINGS, must};
use super::row::{CITED, FOUND, JSON, PREPARED, READ, UNREADABLE, UPLOAD, WRITE, json, row};
use super::{Audit, Form, Operation};
use crate::error::Code;

/// The paths of the public citation SDK.
pub(super) const ROWS: &[Operation] = &[
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
            must("pageImages", PAGE_IMAGES, PAGE_IMAGES_LISTED),
            WARNINGS,
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
];
