//! How rows of the table are written, and what several of them share.

use super::forms::{may, must};
use super::{Answer, Audit, Field, Form, Need, Operation};
use crate::access::Scope;
use crate::error::Code;

pub(super) const READ: Need = Need::Scope(Scope::Read);
pub(super) const WRITE: Need = Need::Scope(Scope::Write);
pub(super) const ADMIN: Need = Need::Scope(Scope::Admin);

pub(super) const JSON: &str = "application/json";
pub(super) const SSE: &str = "text/event-stream";
pub(super) const EVENTS: &str = "application/vnd.ag-ui.event+proto";

pub(super) const fn row(
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
    pub(super) const fn records(self, audit: Audit) -> Self {
        Self {
            audit: Some(audit),
            ..self
        }
    }

    pub(super) const fn asks(self, query: &'static [Field]) -> Self {
        Self { query, ..self }
    }

    pub(super) const fn takes(self, takes: &'static [(&'static str, Form)]) -> Self {
        Self {
            takes,
            needs_body: true,
            ..self
        }
    }

    pub(super) const fn may_take(self, takes: &'static [(&'static str, Form)]) -> Self {
        Self { takes, ..self }
    }

    pub(super) const fn answers(self, answers: &'static [Answer]) -> Self {
        Self { answers, ..self }
    }

    pub(super) const fn refuses(self, refuses: &'static [Code]) -> Self {
        Self { refuses, ..self }
    }
}

pub(super) const fn answer(
    status: u16,
    media: &'static str,
    form: Form,
    about: &'static str,
) -> Answer {
    Answer {
        status,
        media,
        form,
        about,
    }
}

pub(super) const fn json(form: Form, about: &'static str) -> Answer {
    answer(200, JSON, form, about)
}

pub(super) const AFTER: Field = may("after", Form::Text, "Where the last page ended: its `next`");
pub(super) const LIMIT: Field = may("limit", Form::Whole(1, 1_000), "How many at most");
pub(super) const PAGES: &[Field] = &[AFTER, LIMIT];
pub(super) const NEXT: Field = must(
    "next",
    Form::OrNull(&Form::Text),
    "Where to go on; null at the end",
);

const END_USER: Field = may(
    "endUserId",
    Form::Text,
    "A label of your own: at most 128 characters",
);
pub(super) const UPLOAD: &[(&str, Form)] = &[
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
            END_USER,
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
            END_USER,
        ]),
    ),
];
pub(super) const UNREADABLE: &[Code] = &[
    Code::Conflict,
    Code::FetchOff,
    Code::NotFound,
    Code::UnreadableDocument,
];
pub(super) const CITED: &[(&str, Form)] = &[(
    JSON,
    Form::Object(&[must(
        "data",
        Form::Object(&[
            may("attachmentId", Form::Text, "The document to look into"),
            may(
                "outputImageFormat",
                Form::OneOf(&["avif", "webp", "jpeg", "png"]),
                "The form of pictures of passages; none are drawn without",
            ),
            must(
                "citations",
                Form::Map(&Form::Named("Citation")),
                "Citations by key",
            ),
        ]),
        "What is to be checked",
    )]),
)];
pub(super) const FOUND: &[Answer] = &[json(
    Form::Object(&[must(
        "verifications",
        Form::Map(&Form::Named("Verification")),
        "What is true of each, by the key it came with",
    )]),
    "What is true of each citation",
)];
pub(super) const PREPARED: &[Answer] = &[json(Form::Named("Prepared"), "The document for a model")];
pub(super) const THEME: Field = may("theme", Form::OneOf(&["light", "dark"]), "How it looks");
pub(super) const SCALE: Field = may("scale", Form::OneOf(&["1", "2"]), "How large it is");
pub(super) const TOKEN: Field = may("token", Form::Text, "Of a signed link");
pub(super) const EXPIRES: Field = may("expires", Form::Text, "Of a signed link");
pub(super) const PICTURES: &[Field] = &[
    may(
        "citation",
        Form::Text,
        "Citations to mark, by key or by the id of their evidence, separated by commas; those of other documents are not marked",
    ),
    THEME,
    SCALE,
    TOKEN,
    EXPIRES,
];
pub(super) const IMAGE: &str = "image/*";
pub(super) const ANY: &str = "*/*";
