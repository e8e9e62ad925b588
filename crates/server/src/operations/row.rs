//! How rows of the table are written, and what several of them share.

use super::forms::{may, must};
use super::{ApiOperation, AuditRule, JsonShape, OperationResponse, RequiredScope, ShapeField};
use crate::error::ErrorCode;
use crate::scope::AccessScope;

pub(super) const READ: RequiredScope = RequiredScope::Scope(AccessScope::Read);
pub(super) const WRITE: RequiredScope = RequiredScope::Scope(AccessScope::Write);
pub(super) const ADMIN: RequiredScope = RequiredScope::Scope(AccessScope::Admin);

pub(super) const JSON: &str = "application/json";
pub(super) const SSE: &str = "text/event-stream";
pub(super) const EVENTS: &str = "application/vnd.ag-ui.event+proto";

pub(super) const fn row(
    method: &'static str,
    path: &'static str,
    need: RequiredScope,
    subject: &'static str,
    summary: &'static str,
) -> ApiOperation {
    ApiOperation {
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

impl ApiOperation {
    pub(super) const fn records(self, audit: AuditRule) -> Self {
        Self {
            audit: Some(audit),
            ..self
        }
    }

    pub(super) const fn asks(self, query: &'static [ShapeField]) -> Self {
        Self { query, ..self }
    }

    pub(super) const fn takes(self, takes: &'static [(&'static str, JsonShape)]) -> Self {
        Self {
            takes,
            needs_body: true,
            ..self
        }
    }

    pub(super) const fn may_take(self, takes: &'static [(&'static str, JsonShape)]) -> Self {
        Self { takes, ..self }
    }

    pub(super) const fn answers(self, answers: &'static [OperationResponse]) -> Self {
        Self { answers, ..self }
    }

    pub(super) const fn refuses(self, refuses: &'static [ErrorCode]) -> Self {
        Self { refuses, ..self }
    }
}

pub(super) const fn answer(
    status: u16,
    media: &'static str,
    form: JsonShape,
    about: &'static str,
) -> OperationResponse {
    OperationResponse {
        status,
        media,
        form,
        about,
    }
}

pub(super) const fn json(form: JsonShape, about: &'static str) -> OperationResponse {
    answer(200, JSON, form, about)
}

pub(super) const AFTER: ShapeField = may(
    "after",
    JsonShape::Text,
    "Where the last page ended: its `next`",
);
pub(super) const LIMIT: ShapeField = may("limit", JsonShape::Whole(1, 1_000), "How many at most");
pub(super) const PAGES: &[ShapeField] = &[AFTER, LIMIT];
pub(super) const NEXT: ShapeField = must(
    "next",
    JsonShape::OrNull(&JsonShape::Text),
    "Where to go on; null at the end",
);

const END_USER: ShapeField = may(
    "endUserId",
    JsonShape::Text,
    "A label of your own: at most 128 characters",
);
pub(super) const UPLOAD: &[(&str, JsonShape)] = &[
    (
        "multipart/form-data",
        JsonShape::Object(&[
            must("file", JsonShape::Bytes, "The file"),
            may("filename", JsonShape::Text, "What people call it"),
            may(
                "attachmentId",
                JsonShape::AttachmentId,
                "What it shall be called by",
            ),
            END_USER,
        ]),
    ),
    (
        JSON,
        JsonShape::Object(&[
            may(
                "url",
                JsonShape::Text,
                "Where to fetch it from, if that is allowed",
            ),
            may("filename", JsonShape::Text, "What people call it"),
            may(
                "attachmentId",
                JsonShape::AttachmentId,
                "What it shall be called by, or is already",
            ),
            END_USER,
        ]),
    ),
];
pub(super) const UNREADABLE: &[ErrorCode] = &[
    ErrorCode::Conflict,
    ErrorCode::FetchOff,
    ErrorCode::NotFound,
    ErrorCode::UnreadableDocument,
];
pub(super) const CITED: &[(&str, JsonShape)] = &[(
    JSON,
    JsonShape::Object(&[must(
        "data",
        JsonShape::Object(&[
            may("attachmentId", JsonShape::Text, "The document to look into"),
            may(
                "outputImageFormat",
                JsonShape::OneOf(&["avif", "webp", "jpeg", "png"]),
                "The form of pictures of passages; none are drawn without",
            ),
            must(
                "citations",
                JsonShape::Map(&JsonShape::Named("Citation")),
                "Citations by key",
            ),
        ]),
        "What is to be checked",
    )]),
)];
pub(super) const FOUND: &[OperationResponse] = &[json(
    JsonShape::Object(&[must(
        "verifications",
        JsonShape::Map(&JsonShape::Named("Verification")),
        "What is true of each, by the key it came with",
    )]),
    "What is true of each citation",
)];
pub(super) const PREPARED: &[OperationResponse] = &[json(
    JsonShape::Named("Prepared"),
    "The document for a model",
)];
pub(super) const THEME: ShapeField = may(
    "theme",
    JsonShape::OneOf(&["light", "dark"]),
    "How it looks",
);
pub(super) const SCALE: ShapeField = may("scale", JsonShape::OneOf(&["1", "2"]), "How large it is");
pub(super) const TOKEN: ShapeField = may("token", JsonShape::Text, "Of a signed link");
pub(super) const EXPIRES: ShapeField = may("expires", JsonShape::Text, "Of a signed link");
pub(super) const PICTURES: &[ShapeField] = &[
    may(
        "citation",
        JsonShape::Text,
        "Citations to mark, by key or by the id of their evidence, separated by commas; those of other documents are not marked",
    ),
    THEME,
    SCALE,
    TOKEN,
    EXPIRES,
];
pub(super) const IMAGE: &str = "image/*";
pub(super) const ANY: &str = "*/*";
